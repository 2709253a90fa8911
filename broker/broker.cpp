#include "broker/broker.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdlib>

#include "broker/assembly.hpp"
#include "broker/config/attributes.hpp"
#include "broker/config/config_files.hpp"
#include "broker/config/config_store.hpp"
#include "broker/config/tables.hpp"
#include "broker/connector/local_server.hpp"
#include "broker/context.hpp"
#include "broker/directories.hpp"
#include "broker/identity.hpp"
#include "broker/lifecycle/bootstrap.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/log/logger.hpp"
#include "broker/orphans.hpp"
#include "broker/overlay/membership.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;

/// Handlers run in one turn before its end is due: bounds how long a commit can be put off.
constexpr int handlers_per_turn_max = 1024;

/// Frees the way for a socket: an empty file left by a broken start is no reason to refuse.
void remove_stale_file(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        ::unlink(path.c_str());
}

}  // namespace

class Broker::State {
  public:
    explicit State(BrokerOptions options) : options_(std::move(options)) {}
    ~State();
    Result<void> open();
    int run();

  private:
    Result<void> open_log();
    Result<void> open_config();
    Result<void> bootstrap();
    Result<void> open_folders(bool lead);
    Result<void> open_program();
    void open_context();
    Result<void> listen();
    void watch_signals();
    bool lead() const { return boot_.rank.value == 0; }
    bool said_last() const;

    BrokerOptions options_;
    ConfigSources sources_;
    asio::io_context io_{1};
    Attributes attributes_;
    ConfigStore config_;
    Logger log_;
    Bootstrap boot_;
    Directory rundir_, statedir_;
    InitialProgram program_;
    Router router_{{Rank{0}, UserId{::getuid()}}};
    std::unique_ptr<Membership> membership_;
    std::unique_ptr<LocalServer> local_server_;
    std::unique_ptr<BrokerContext> context_;
    std::unique_ptr<Lifecycle> lifecycle_;
    asio::signal_set signals_{io_};
    Orphans orphans_{io_};
    Assembly parts_;
    bool stopped_ = false;
};

Result<void> Broker::State::open() {
    for (const std::string& assignment : options_.attributes)
        SLUICE_CHECK(attributes_.set_from_command_line(assignment));
    set_own_attributes(attributes_);
    SLUICE_CHECK(open_log());
    SLUICE_CHECK(open_config());
    SLUICE_CHECK(bootstrap());
    SLUICE_CHECK(open_program());
    open_context();
    SLUICE_CHECK(parts_.make(*context_, Stage::core));
    return listen();
}

Result<void> Broker::State::open_config() {
    sources_ = {.path = options_.config_path, .extra = options_.conf};
    if (!sources_.path)
        if (const char* folder = std::getenv("FLUX_CONF_DIR")) sources_.path = folder;
    if (sources_.path) attributes_.set("config.path", *sources_.path);
    SLUICE_TRY(JsonObject root, load_config(sources_));
    SLUICE_CHECK(attributes_.apply_config(root));
    config_ = ConfigStore{std::move(root)};
    config_.add_check(check_config_tables);
    return {};
}

Result<void> Broker::State::bootstrap() {
    const std::string hostname = attributes_.get_or("hostname", "");
    auto opened = Bootstrapper::open(attributes_, config_.root());
    if (!opened) return sources_.path ? opened.error().in(*sources_.path) : opened.error();
    Bootstrapper bootstrapper = *std::move(opened);
    Bootstrap& boot = bootstrapper.result();
    log_.set_rank(boot.rank.value);
    router_.set_rank(boot.rank);
    router_.set_uuid(attributes_.get_or("broker.uuid", ""));
    ::prctl(PR_SET_NAME, fmt::format("flux-broker-{}", boot.rank).c_str());
    SLUICE_CHECK(check_quorum(attributes_, boot));
    SLUICE_CHECK(open_folders(boot.rank.value == 0));
    if (boot.size > 1) {
        SLUICE_TRY(const std::string bind,
                   bootstrapper.bind_endpoint(attributes_, rundir_.path()));
        SLUICE_TRY(membership_,
                   Membership::open(io_, router_, log_, attributes_, boot, bind));
    }
    SLUICE_CHECK(bootstrapper.exchange(hostname));
    if (membership_) membership_->set_peers(boot);
    boot_ = std::move(boot);
    set_boot_attributes(attributes_, boot_);
    if (!attributes_.find("local-uri"))
        attributes_.set("local-uri",
                        fmt::format("local://{}/local-{}", rundir_.path(), boot_.rank));
    return {};
}

void Broker::State::open_context() {
    local_server_ = std::make_unique<LocalServer>(
        io_, router_,
        LocalServer::Options{
            .access = access_policy(config_.root(), router_.owner()),
            .online = [this] { return lifecycle_->state() >= BrokerState::init; },
            .log = [this](const std::string& text) { log_.err("broker", "{}", text); }});
    config_.add_watcher([this](const JsonObject& config) {
        local_server_->set_access(access_policy(config, router_.owner()));
    });
    context_.reset(new BrokerContext{.io = io_,
                                     .router = router_,
                                     .attributes = attributes_,
                                     .config = config_,
                                     .log = log_,
                                     .local_server = *local_server_,
                                     .rank = boot_.rank,
                                     .size = boot_.size,
                                     .hosts = boot_.hosts,
                                     .hostname = attributes_.get_or("hostname", ""),
                                     .rundir = rundir_.path(),
                                     .statedir = statedir_.path()});
    lifecycle_ = std::make_unique<Lifecycle>(
        *context_, program_,
        parts_.effects(*context_, membership_.get(), [this] { stopped_ = true; }));
    context_->lifecycle = lifecycle_.get();
    context_->panic = [this](std::string_view text) { lifecycle_->panic(text); };
    context_->read_config = [this] { return load_config(sources_); };
    if (membership_) membership_->start(*context_);
}

Result<void> Broker::State::open_log() {
    if (options_.verbose > 0) {
        attributes_.set("log-stderr-mode", "local");
        attributes_.set("log-stderr-level", options_.verbose > 1 ? "7" : "6");
    }
    for (const std::string& name : attributes_.names()) {
        const auto value = attributes_.find(name);
        if (name.starts_with("log-") && !name.starts_with("log-syslog") && value)
            SLUICE_CHECK(log_.set(name, *value));
    }
    attributes_.watch("log-", [this](const std::string& name, const std::string& value) {
        (void)log_.set(name, value);  // the attribute table has checked the value
    });
    return {};
}

Result<void> Broker::State::open_program() {
    program_ = plan_initial_program(options_.command, program_surroundings());
    if (!lead() || attributes_.has("broker.rc2_none") || !program_.interactive) return {};
    if (::isatty(STDIN_FILENO)) return {};
    return fail(ENOTTY, "stdin is not a tty - can't run interactive shell");
}

Result<void> Broker::State::open_folders(bool lead) {
    SLUICE_TRY(rundir_, Directory::open(attributes_, "rundir", temporary_folder("/tmp")));
    if (!lead) return {};
    SLUICE_TRY(statedir_, Directory::open(attributes_, "statedir",
                                          temporary_folder("/var/tmp", "/tmp")));
    return {};
}

Result<void> Broker::State::listen() {
    const std::string uri = attributes_.get_or("local-uri", "");
    const std::string path = uri.substr(std::string_view{"local://"}.size());
    remove_stale_file(path);
    return local_server_->listen(path);
}

void Broker::State::watch_signals() {
    signals_.async_wait([this](boost::system::error_code error, int signum) {
        if (error) return;
        lifecycle_->on_signal(signum);
        watch_signals();
    });
}

/// Are the last words on our standard error already, and not followed by lines about the end?
bool Broker::State::said_last() const {
    if (lifecycle_->last_words().empty()) return true;
    const bool elsewhere = !lead() && attributes_.get_or("log-stderr-mode", "") == "leader";
    const auto level = attributes_.integer_or("log-stderr-level", LOG_ERR);
    return level >= LOG_ERR && level < LOG_INFO && !elsewhere;
}

int Broker::State::run() {
    for (const int signum : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2})
        signals_.add(signum);
    ::signal(SIGPIPE, SIG_IGN);
    watch_signals();
    orphans_.adopt();
    lifecycle_->start();
    while (!stopped_) {
        if (context_->turn_end.empty()) io_.run_one();
        for (int i = 0; i < handlers_per_turn_max && io_.poll_one() > 0; ++i) {
        }
        context_->turn_end.run();
    }
    lifecycle_->hang_up_group();
    if (lifecycle_->exit_code() && !said_last())
        fmt::print(stderr, "flux-broker: {}\n", lifecycle_->last_words());
    return lifecycle_->exit_code();
}

Broker::State::~State() {
    parts_.clear();
    if (local_server_) local_server_->close();
    router_.set_link(nullptr);
    membership_.reset();
    lifecycle_.reset();
}

Broker::Broker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Broker::~Broker() = default;

Result<std::unique_ptr<Broker>> Broker::open(const BrokerOptions& options) {
    auto state = std::make_unique<State>(options);
    SLUICE_CHECK(state->open());
    return std::make_unique<Broker>(std::move(state));
}

int Broker::run() { return state_->run(); }

}  // namespace sluice
