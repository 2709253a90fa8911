#include "t/sim/node.hpp"

#include <set>

#include "broker/config/tables.hpp"
#include "broker/identity.hpp"

namespace sluice::sim {
namespace {

/// Those left out start processes, or have nothing to do with jobs.
const std::set<std::string_view> parts_left_out{"cron", "parent", "rexec", "startlog", "relays",
                                                "feasibility"};
const UserId owner{1000};

std::string endpoint_of(Rank rank) { return fmt::format("ipc://sim-{}", rank); }

}  // namespace

Node::Node(Host& host, const NodeOptions& options)
    : host_(host),
      busy_(io_.get_executor()),
      router_({Rank{host.rank()}, owner}),
      parts_(parts_left_out) {
    if (const auto opened = open(options); !opened)
        world().wrong(fmt::format("rank {} does not start: {}", host.rank(),
                                  opened.error().text()));
}

Bootstrap Node::boot(const NodeOptions& options) const {
    Bootstrap boot;
    boot.method = "config";
    boot.rank = Rank{host_.rank()};
    boot.size = options.size;
    for (std::uint32_t rank = 0; rank < options.size; ++rank)
        boot.hosts.append(fmt::format("sim{}", rank));
    const TopologyKind kind{.k = options.fanout};
    boot.topology = Topology{kind, options.size};
    boot.topo = kind.to_string();
    if (boot.has_children()) boot.bind = boot.endpoint = endpoint_of(boot.rank);
    if (const auto parent = boot.topology.parent(boot.rank))
        boot.parent_endpoint = endpoint_of(*parent);
    return boot;
}

Result<void> Node::open(const NodeOptions& options) {
    Bootstrap boot = this->boot(options);
    const std::string level = world().talks ? "6" : "-1";
    for (const std::string& assignment :
         {fmt::format("broker.quorum={}", options.quorum), std::string{"broker.rc2_none"},
          "log-stderr-level=" + level, "log-level=" + level, std::string{"log-critical-level=-1"},
          std::string{"log-forward-level=-1"}, std::string{"log-stderr-mode=local"},
          fmt::format("hostname={}", boot.hosts[boot.rank.value])})
        SLUICE_CHECK(attributes_.set_from_command_line(assignment));
    set_own_attributes(attributes_);
    for (const std::string& name : attributes_.names())
        if (const auto value = attributes_.find(name); value && name.starts_with("log-"))
            if (!name.starts_with("log-syslog")) SLUICE_CHECK(log_.set(name, *value));
    config_ = ConfigStore{options.config};
    config_.add_check(check_config_tables);
    log_.set_rank(boot.rank.value);
    router_.set_uuid(attributes_.get_or("broker.uuid", ""));
    if (boot.size > 1) {
        SLUICE_TRY(membership_,
                   Membership::open(io_, router_, log_, attributes_, boot, boot.bind));
        membership_->set_peers(boot);
    }
    set_boot_attributes(attributes_, boot);
    local_server_ = std::make_unique<LocalServer>(
        io_, router_,
        LocalServer::Options{
            .access = access_policy(config_.root(), owner),
            .online = [this] { return lifecycle_->state() >= BrokerState::init; }});
    context_.reset(new BrokerContext{.io = io_,
                                     .router = router_,
                                     .attributes = attributes_,
                                     .config = config_,
                                     .log = log_,
                                     .local_server = *local_server_,
                                     .rank = boot.rank,
                                     .size = boot.size,
                                     .hosts = boot.hosts,
                                     .hostname = boot.hosts[boot.rank.value],
                                     .rundir = host_.folder(),
                                     .statedir = host_.folder()});
    lifecycle_ = std::make_unique<Lifecycle>(
        *context_, InitialProgram{},
        parts_.effects(*context_, membership_.get(), [this] { stopped_ = true; }));
    context_->lifecycle = lifecycle_.get();
    context_->panic = [this](std::string_view text) { lifecycle_->panic(text); };
    if (membership_) membership_->start(*context_);
    user_ = std::make_unique<RpcClient>(router_);
    SLUICE_CHECK(parts_.make(*context_, Stage::core));
    lifecycle_->start();
    return {};
}

int Node::turn() {
    while (!stopped_) {
        const bool idle = io_.poll_one() == 0;
        if (idle && context_->turn_end.empty()) break;
        if (idle) context_->turn_end.run();
    }
    ReactorWait wait{[this] { io_.stop(); }};
    reactor_wait = &wait;
    io_.run_one();
    reactor_wait = nullptr;
    io_.restart();
    return wait.milliseconds;
}

Node::~Node() {
    user_.reset();
    parts_.clear();
    if (local_server_) local_server_->close();
    router_.set_link(nullptr);
    membership_.reset();
    lifecycle_.reset();
}

}  // namespace sluice::sim
