// resource.* - what the instance has and what of it may be used (RFC 28, 44; wire.md 2.7). Rank 0
// keeps the inventory; the other ranks look at their hardware and report it before they join.
#include <fstream>
#include <iterator>
#include <variant>

#include "broker/config/attributes.hpp"
#include "broker/config/config_store.hpp"
#include "broker/context.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/resource_hub.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/resource_archive.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"
#include "resource/instance_resources.hpp"
#include "resource/probe/cpu_quota.hpp"
#include "resource/probe/hwloc_probe.hpp"

namespace sluice {
namespace {

/// The file of [resource] path, when there is one.
Result<std::optional<std::string>> read_path(const ResourceConfig& config) {
    if (config.path.empty() || config.fake) return std::optional<std::string>{};
    std::ifstream in(config.path);
    std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in) return fail(ENOENT, "resource.path: cannot read {}", config.path);
    return std::optional<std::string>{std::move(text)};
}

void respond_topology(const Request& request, const ProbeOptions& options) {
    const auto xml = probe_topology_xml(options);
    xml ? request.respond_text(*xml) : request.fail(xml.error());
}

ProbeOptions probe_options(const BrokerContext& context, const ResourceConfig& config) {
    return {.hostname = context.hostname, .xml_path = {}, .unrestricted = config.norestrict};
}

/// What this node has. Cores that there is no time for are counted too, but not in silence.
Result<NodeDescription> probe_here(const BrokerContext& context, const ResourceConfig& config) {
    Result<NodeDescription> node = probe_node(probe_options(context, config));
    const auto quota = cpu_quota();
    if (node && quota && *quota < static_cast<double>(node->cores.size()))
        context.log.warning("resource",
                            "{}: the container may use {:.3g} CPUs' time, but all {} cores are "
                            "counted; give it CPUs of its own (static CPU manager), or name fewer "
                            "cores in R (flux R encode --cores)",
                            context.hostname, *quota, node->cores.size());
    return node;
}

/// Rank 0.
class ResourceService : public RpcService<ResourceService> {
  public:
    static const RpcTable<ResourceService> rpcs;

    ResourceService(BrokerContext& context, ResourceConfig config)
        : RpcService(context.router, "resource"),
          context_(context),
          config_(config),
          archive_(context),
          resources_(std::move(config), context.hosts, effects()) {
        context.on_online.add([this](const Idset& ranks) {
            resources_.set_online(ranks);
            answer_waiters();
        });
        context.on_lost.add(
            [this](const Idset& ranks, const std::string&) { resources_.set_offline(ranks); });
        context.on_state.add([this](const std::string& state) {
            if (state == "run") resources_.complete();
        });
    }

    /// The rc1 step: R must be known, or be on its way.
    void start(std::function<void(Result<void>)> done) {
        archive_.load([this, done = std::move(done)](const Result<std::vector<Event>>& log) {
            if (log) resources_.restore(*log);
            else context_.log.err("resource", "resource.eventlog: {}", log.error().text());
            done(find_resources());
        });
    }

  private:
    Result<void> find_resources() {
        SLUICE_TRY(const auto file, read_path(config_));
        SLUICE_CHECK(resources_.start(file, context_.resources->parent));
        resources_.set_online(Idset{0});
        if (!resources_.wants_reports()) return {};
        SLUICE_TRY(NodeDescription node, probe_here(context_, config_));
        resources_.report(0, std::move(node));
        return {};
    }

    InstanceResources::Effects effects() {
        ResourceHub* hub = context_.resources.get();
        return {
            .now = wall_clock_now,
            .define =
                [this, hub](const ResourceSet& R, const LocalityMap& locality, const Idset& up) {
                    hub->defined = SchedResources{R, locality, up};
                    hub->on_expiration(R.expiration);
                    hub->on_define(*hub->defined);
                    for (const auto& acquirer : acquirers_.entries())
                        send_resources(acquirer.request);
                },
            .up =
                [this, hub](const Idset& ranks) {
                    hub->defined->up |= ranks;
                    hub->on_ranks_up(ranks);
                    tell_acquirer({{"up", ranks.to_string()}});
                },
            .down =
                [this, hub](const Idset& ranks) {
                    hub->defined->up -= ranks;
                    hub->on_ranks_down(ranks);
                    if (!muted_) tell_acquirer({{"down", ranks.to_string()}});
                },
            .event =
                [this](const ResourceLog::Event& event) {
                    log_drain(event.entry);
                    archive_.add(event);
                    for (const auto& entry : journals_.entries())
                        entry.request.respond(ResourceLog::message(event));
                },
        };
    }

    /// For those who look after the nodes.
    void log_drain(const JsonObject& event) {
        JsonReader in{event};
        const std::string name = in.string("name");
        if (name != "drain" && name != "undrain") return;
        JsonReader what{in.object("context")};
        context_.log.info("resource", "{} idset={} nodelist={} overwrite={} reason={}", name,
                          what.string("idset"), what.string("nodelist"), what.integer("overwrite"),
                          what.string_or("reason", ""));
    }

    void status(Request request, const JsonObject&) { request.respond(resources_.status_json()); }

    static JsonObject sched_status_json(const SchedStatus& status) {
        JsonObject json;
        json["all"] = status.all.to_json();
        json["down"] = status.down.to_json();
        json["allocated"] = status.allocated.to_json();
        return json;
    }

    void sched_status(Request request, const JsonObject&) {
        if (const auto& ask = context_.resources->sched_status)
            return ask([request](const SchedStatus& status) {
                request.respond(sched_status_json(status));
            });
        const ResourceSet all = resources_.schedulable();
        request.respond(sched_status_json({all, all.without_ranks(resources_.usable()), {}}));
    }

    void get(Request request, const JsonObject&) {
        if (!resources_.defined())
            return request.fail(fail(ENOENT, "resources are not known yet; wait for state run"));
        JsonObject reply;
        reply["R"] = resources_.R().to_json();
        reply["method"] = resources_.method();
        request.respond(reply);
    }

    void drain(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string targets = in.string("targets");
        const auto reason = in.maybe_string("reason");
        const auto mode = read_drain_mode(in);
        if (!mode) return request.fail(mode.error());
        answer_kept(request, resources_.drain(targets, reason, *mode));
    }

    void undrain(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string targets = in.string("targets");
        const auto reason = in.maybe_string("reason");
        const auto mode = read_drain_mode(in);
        if (!mode) return request.fail(mode.error());
        answer_kept(request, resources_.undrain(targets, reason, *mode));
    }

    static Result<DrainMode> read_drain_mode(JsonReader& in) {
        const auto mode = in.maybe_string("mode");
        if (!in) return in.error();
        return mode ? parse_drain_mode(*mode) : Result<DrainMode>{DrainMode::refuse};
    }

    void answer_kept(const Request& request, const Result<void>& result) {
        archive_.when_kept([request, result] { request.respond(result); });
    }

    void journal(Request request, const JsonObject&) {
        if (!request.streaming())
            return request.fail(fail(EPROTO, "resource.journal: set the STREAMING flag"));
        for (const JsonObject& message : resources_.log().backlog()) request.respond(message);
        JsonObject sentinel;
        sentinel["events"].emplace_array();
        request.respond(sentinel);
        journals_.add(std::move(request));
    }

    void journal_cancel(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t matchtag = in.integer("matchtag");
        if (in) journals_.cancel(request, matchtag);
    }

    void report(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t rank = in.integer("rank");
        if (!in) return request.fail(in.error());
        if (rank < 0 || rank >= context_.size)
            return request.fail(fail(EINVAL, "resource.report: no rank {}", rank));
        auto node = NodeDescription::from_json(payload);
        if (!node) return request.fail(node.error());
        resources_.report(static_cast<std::uint32_t>(rank), *std::move(node));
        request.respond();
    }

    void topo_get(Request request, const JsonObject&) {
        respond_topology(request, probe_options(context_, config_));
    }

    /// For a scheduler outside the broker (RFC 28): all resources, then what comes up or goes down.
    void acquire(Request request, const JsonObject&) {
        if (!request.streaming())
            return request.fail(fail(EPROTO, "resource.acquire: set the STREAMING flag"));
        if (!acquirers_.empty())
            return request.fail(fail(EBUSY, "only one resource.acquire RPC is allowed at once"));
        if (resources_.defined()) send_resources(request);
        acquirers_.add(std::move(request));
    }

    void acquire_cancel(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t matchtag = in.integer("matchtag");
        if (in) acquirers_.cancel(request, matchtag);
    }

    void send_resources(const Request& acquirer) {
        acquirer.respond(JsonObject{{"resources", resources_.schedulable().to_json()},
                                    {"up", resources_.usable().to_string()}});
    }

    void tell_acquirer(const JsonObject& news) {
        for (const auto& acquirer : acquirers_.entries()) acquirer.request.respond(news);
    }

    /// Our scheduler is built in: resources cannot change under it.
    void reload(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        (void)in.string("path");
        (void)in.boolean("xml");
        if (!in) return request.fail(in.error());
        request.fail(fail(EBUSY, "resources are busy (unload scheduler?)"));
    }

    /// Shutdown asks to keep DOWN updates from an outside scheduler: ours needs no such favour.
    void acquire_mute(Request request, const JsonObject&) {
        muted_ = true;
        request.respond();
    }

    void expiration_update(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const double expiration = in.number("expiration");
        if (!in) return request.fail(in.error());
        resources_.set_expiration(expiration);
        context_.resources->on_expiration(expiration);
        tell_acquirer({{"expiration", expiration}});
        request.respond();
    }

    void monitor_waitup(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t up = in.integer("up");
        if (!in) return request.fail(in.error());
        if (up < 0 || up > context_.size)
            return request.fail(fail(EINVAL, "up count {} is not between 0 and {}", up,
                                     context_.size));
        waiters_.add(std::move(request), static_cast<std::size_t>(up));
        answer_waiters();
    }

    void monitor_force_down(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string text = in.string("ranks");
        if (!in) return request.fail(in.error());
        const auto ranks = Idset::parse(text);
        if (!ranks) return request.fail(ranks.error());
        resources_.set_offline(*ranks);
        request.respond();
    }

    void answer_waiters() {
        const std::size_t online = resources_.states().online().size();
        waiters_.remove_if([online](const auto& entry) {
            if (online < entry.state) return false;
            entry.request.respond();
            return true;
        });
    }

    void on_disconnect(const Request& request) override {
        journals_.disconnect(request.sender());
        acquirers_.disconnect(request.sender());
        waiters_.disconnect(request.sender());
    }

    BrokerContext& context_;
    ResourceConfig config_;
    Streams<std::monostate> journals_, acquirers_;
    bool muted_ = false;
    Streams<std::size_t> waiters_;  // ranks that must be online
    ResourceArchive archive_;
    InstanceResources resources_;
};

const RpcTable<ResourceService> ResourceService::rpcs{
    {"status", Caller::user, Body::none, &ResourceService::status},
    {"sched-status", Caller::user, Body::none, &ResourceService::sched_status},
    {"get", Caller::owner, Body::none, &ResourceService::get},
    {"drain", Caller::owner, Body::json, &ResourceService::drain},
    {"undrain", Caller::owner, Body::json, &ResourceService::undrain},
    {"journal", Caller::owner, Body::maybe, &ResourceService::journal},
    {"journal-cancel", Caller::owner, Body::json, &ResourceService::journal_cancel},
    {"report", Caller::owner, Body::json, &ResourceService::report},
    {"topo-get", Caller::user, Body::none, &ResourceService::topo_get},
    {"acquire", Caller::owner, Body::maybe, &ResourceService::acquire},
    {"acquire-cancel", Caller::owner, Body::json, &ResourceService::acquire_cancel},
    {"reload", Caller::owner, Body::json, &ResourceService::reload},
    {"acquire-mute", Caller::owner, Body::maybe, &ResourceService::acquire_mute},
    {"expiration-update", Caller::owner, Body::json, &ResourceService::expiration_update},
    {"monitor-waitup", Caller::owner, Body::json, &ResourceService::monitor_waitup},
    {"monitor-force-down", Caller::owner, Body::json, &ResourceService::monitor_force_down},
};

/// All other ranks: reports the hardware, and gives its topology to the shells of its node.
class NodeResourceService : public RpcService<NodeResourceService> {
  public:
    static const RpcTable<NodeResourceService> rpcs;

    NodeResourceService(BrokerContext& context, ResourceConfig config)
        : RpcService(context.router, "resource"),
          context_(context),
          config_(std::move(config)),
          client_(context.router) {}

    void start(std::function<void(Result<void>)> done) {
        const bool configured = config_.config || !config_.path.empty();
        if (config_.fake || (configured && config_.noverify)) return done({});
        const auto node = probe_here(context_, config_);
        if (!node) return done(node.error());
        JsonObject report = node->to_json();
        report["rank"] = context_.rank.value;
        client_.call("resource.report", report, {.nodeid = 0}, [done](const Reply& reply) {
            done(reply.ok() ? Result<void>{} : Result<void>{reply.error()});
        });
    }

  private:
    void topo_get(Request request, const JsonObject&) {
        respond_topology(request, probe_options(context_, config_));
    }

    BrokerContext& context_;
    ResourceConfig config_;
    RpcClient client_;
};

const RpcTable<NodeResourceService> NodeResourceService::rpcs{
    {"topo-get", Caller::user, Body::none, &NodeResourceService::topo_get},
};

}  // namespace

Result<Part> make_resource(BrokerContext& context) {
    SLUICE_TRY(ResourceConfig config, ResourceConfig::from_config(context.config.root()));
    if (context.rank.value == 0) {
        auto service = std::make_shared<ResourceService>(context, std::move(config));
        context.rc1_steps.push_back(
            {"resource",
             [service = service.get()](auto done) { service->start(std::move(done)); }});
        return Part{std::move(service)};
    }
    auto service = std::make_shared<NodeResourceService>(context, std::move(config));
    context.rc1_steps.push_back({"resource", [service = service.get()](auto done) {
                                     service->start(std::move(done));
                                 }});
    return Part{std::move(service)};
}

}  // namespace sluice
