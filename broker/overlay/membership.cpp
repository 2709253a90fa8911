#include "broker/overlay/membership.hpp"

#include "broker/config/attributes.hpp"
#include "broker/config/config_store.hpp"
#include "broker/identity.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/service/groups.hpp"

namespace sluice {
namespace {

/// Seconds for one attempt to connect. Unless they are given, few: the address may be that of a pod
/// that is no more, and only the next attempt asks for the name again.
double connect_timeout(const Attributes& attributes) {
    constexpr double usual = 5;
    constexpr std::string_view name = "tbon.connect_timeout", untouched = "30s";
    const bool given = attributes.set_by_command_line(name) || attributes.find(name) != untouched;
    return given ? attributes.seconds(name).value_or(0) : usual;
}

}  // namespace

Result<std::unique_ptr<Membership>> Membership::open(boost::asio::io_context& io, Router& router,
                                                     Logger& log, const Attributes& attributes,
                                                     Bootstrap& boot, const std::string& bind) {
    Overlay::Options options{.rank = boot.rank,
                             .topology = boot.topology,
                             .hosts = boot.hosts,
                             .uuid = attributes.get_or("broker.uuid", ""),
                             .hostname = attributes.get_or("hostname", ""),
                             .keys = boot.keys,
                             .ipv6 = boot.ipv6};
    SLUICE_TRY(options.version, hello_version(protocol_version));
    options.io_threads = static_cast<int>(attributes.integer_or("tbon.zmq_io_threads", 1));
    options.child_rcvhwm = static_cast<int>(attributes.integer_or("tbon.child_rcvhwm", 0));
    options.tcp_user_timeout = attributes.seconds("tbon.tcp_user_timeout").value_or(0);
    options.connect_timeout = connect_timeout(attributes);
    options.torpid_min = attributes.seconds("tbon.torpid_min").value_or(options.torpid_min);
    options.torpid_max = attributes.seconds("tbon.torpid_max").value_or(options.torpid_max);
    std::unique_ptr<Membership> self(new Membership(router));
    self->overlay_ = std::make_unique<Overlay>(io, router, log, std::move(options));
    if (!bind.empty()) {
        SLUICE_TRY(const std::string endpoint, self->overlay_->bind(bind));
        if (boot.endpoint.empty()) boot.endpoint = endpoint;
    }
    return self;
}

void Membership::set_peers(const Bootstrap& boot) {
    overlay_->set_hosts(boot.hosts);
    for (const std::string& key : boot.allowed_keys) overlay_->allow(key);
    overlay_->set_parent(boot.parent_endpoint, boot.parent_key);
    router_.set_link(overlay_.get());
}

void Membership::start(BrokerContext& context) {
    context_ = &context;
    context.overlay = overlay_.get();
    Overlay::Hooks hooks;
    hooks.joined = [this] { watch_parent(); };
    hooks.parent_lost = [this](const Error& why) { context_->lifecycle->parent_lost(why); };
    hooks.children_changed = [this] { context_->lifecycle->children_changed(); };
    hooks.ranks_lost = [this](const Idset& ranks, const std::string& reason) {
        context_->groups->ranks_lost(ranks, reason);
    };
    hooks.health_changed = [this] { context_->on_health(); };
    hooks.torpid_changed = [this](Rank child, bool torpid) {
        context_->groups->set_torpid(child, torpid);
    };
    overlay_->set_hooks(std::move(hooks));
}

void Membership::watch_parent() {
    const RpcOptions upstream{
        .nodeid = context_->rank.value, .upstream = true, .streaming = true};
    // The stream's end needs no care: a lost parent is the overlay's news.
    rpc_.call("state-machine.monitor", {}, upstream, [this](const Reply& reply) {
        const auto payload = reply.json();
        if (!payload) return;
        JsonReader in{*payload};
        const auto state = in.integer("state");
        if (in) context_->lifecycle->parent_state(static_cast<BrokerState>(state));
    });
}

void Membership::sync_config(std::function<void(Result<void>)> done) {
    const RpcOptions upstream{
        .nodeid = context_->rank.value, .upstream = true, .streaming = true};
    rpc_.call("config.get", {}, upstream,
              [this, done = std::move(done)](const Reply& reply) mutable {
                  const auto payload = reply.json();
                  const Result<void> taken = payload ? context_->config.replace(*payload)
                                                     : Result<void>{payload.error()};
                  if (const auto first = std::exchange(done, {})) return first(taken);
                  if (!taken && reply.ok())
                      context_->log.err("config", "{}", taken.error().text());
              });
}

void Membership::abandon_children() {
    for (const Idset::Id rank : children().to_vector())
        (void)overlay_->disconnect_child(Rank{rank}, "this broker ends");
}

}  // namespace sluice
