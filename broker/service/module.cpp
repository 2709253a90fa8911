// Modules (module.*, design.md 10). Our services are built in; the module names of the reference
// are aliases of them, so that entry points that load and remove modules go on working.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"
#include "broker/service/trace_streams.hpp"

namespace sluice {
namespace {

struct Alias {
    std::string_view name;
    std::vector<std::string_view> services;
    std::string_view shown_by = {};  // the service of ours it stands for, if not the first above
    bool loaded_at_start = true;
};

const std::vector<Alias> aliases{
    {"job-list", {"job-list"}},
    {"heartbeat", {"heartbeat"}},
    {"content-sqlite", {"content-sqlite", "content-backing"}, "content"},
    {"connector-local", {"connector-local"}, "attr"},
    {"resource", {"resource"}},
    {"config", {"config"}},
    {"content", {"content"}},
    {"groups", {"groups"}},
    {"job-exec", {"job-exec"}},
    {"job-info", {"job-info"}},
    {"kvs", {"kvs"}},
    {"cron", {"cron"}},
    {"kvs-watch", {"kvs-watch"}},
    {"rexec", {"rexec"}},
    {"job-ingest", {"job-ingest"}},
    {"overlay", {"overlay"}},
    {"job-manager", {"job-manager"}},
    {"sched-fluxion-resource", {"sched-fluxion-resource"}, "feasibility"},
    {"sched-fluxion-qmanager", {"sched-fluxion-qmanager", "sched"}, "feasibility"},
    {"sched-fluxion-feasibility", {"feasibility", "sched-fluxion-feasibility"}},
    {"sched-simple", {"sched", "feasibility"}, "feasibility", false},
};

/// Not loaded at first, and removed by entrypoints that want Fluxion all the same.
constexpr std::string_view other_scheduler = "sched-simple";

bool is_scheduler(const Alias& alias) { return alias.name.starts_with("sched-"); }

const Alias* find_alias(std::string_view name) {
    const auto found = std::ranges::find(aliases, name, &Alias::name);
    return found == aliases.end() ? nullptr : &*found;
}

/// "kvs" from "kvs", "kvs.so" and "/a/b/kvs.so".
std::string_view module_name(std::string_view path) {
    if (const std::size_t slash = path.rfind('/'); slash != std::string_view::npos)
        path.remove_prefix(slash + 1);
    if (path.ends_with(".so")) path.remove_suffix(3);
    return path;
}

class ModuleService : public RpcService<ModuleService> {
  public:
    static const RpcTable<ModuleService> rpcs;

    explicit ModuleService(BrokerContext& context)
        : RpcService(context.router, "module"), context_(context) {
        for (const Alias& alias : aliases)
            if (!alias.loaded_at_start) removed_.insert(alias.name);
    }

  private:
    bool present(const Alias& alias) {
        return router().has_service(alias.shown_by.empty() ? alias.services.front()
                                                           : alias.shown_by);
    }
    bool loaded(const Alias& alias) { return present(alias) && !removed_.contains(alias.name); }

    void load(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string path = in.string("path");
        if (!in) return request.fail(in.error());
        const Alias* alias = find_alias(module_name(path));
        if (!alias || !present(*alias))
            return request.fail(sluice::fail(ENOENT, "module not found in search path"));
        if (loaded(*alias) && by_entrypoint_ && is_scheduler(*alias)) return request.respond();
        if (loaded(*alias)) return request.fail(Error{EEXIST});
        removed_.erase(alias->name);
        context_.on_module(alias->name, true);
        request.respond();
    }

    void remove(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        if (!in) return request.fail(in.error());
        const Alias* alias = find_alias(name);
        if (alias && !loaded(*alias) && by_entrypoint_ && alias->name == other_scheduler)
            return request.respond();
        if (!alias || !loaded(*alias)) return request.fail(Error{ENOENT});
        removed_.insert(alias->name);
        context_.on_module(alias->name, false);
        request.respond();
    }

    void list(Request request, const JsonObject&) {
        constexpr int running = 1;
        JsonArray modules;
        for (const Alias& alias : aliases) {
            if (!loaded(alias)) continue;
            JsonArray services;
            for (const std::string_view service : alias.services) services.emplace_back(service);
            modules.push_back(JsonObject{{"name", alias.name},
                                         {"path", "builtin"},
                                         {"idle", 0},
                                         {"status", running},
                                         {"services", std::move(services)},
                                         {"sendqueue", 0},
                                         {"recvqueue", 0}});
        }
        request.respond(JsonObject{{"mods", std::move(modules)}});
    }

    void trace(Request request, const JsonObject& payload) {
        if (!traces_.add(std::move(request), payload)) return;
        router().on_service_message = [this](const MessageTrace& trace) { traces_.show(trace); };
    }

    void on_disconnect(const Request& request) override {
        traces_.disconnect(request.sender());
        if (traces_.empty()) router().on_service_message = {};
    }

    BrokerContext& context_;
    // The entrypoint of a pod names Fluxion's folder, and its users then run load-fluxion.sh, which
    // must succeed: ours is what all names of schedulers stand for.
    const bool by_entrypoint_ = std::getenv("FLUX_RC_EXTRA") != nullptr;
    std::set<std::string_view> removed_;
    TraceStreams traces_;
};

const RpcTable<ModuleService> ModuleService::rpcs{
    {"load", Caller::owner, Body::json, &ModuleService::load},
    {"remove", Caller::owner, Body::json, &ModuleService::remove},
    {"list", Caller::user, Body::none, &ModuleService::list},
    {"trace", Caller::owner, Body::json, &ModuleService::trace},
};

}  // namespace

Result<Part> make_module(BrokerContext& context) {
    return Part{std::make_shared<ModuleService>(context)};
}

}  // namespace sluice
