// feasibility.* - could a job ever run here (RFC 27)? Asked by validators before a job is accepted.
#include "broker/config/config_store.hpp"
#include "broker/context.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/resource_hub.hpp"
#include "broker/service/service.hpp"
#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/constraint_hosts.hpp"

namespace sluice {
namespace {

class FeasibilityService : public RpcService<FeasibilityService> {
  public:
    static const RpcTable<FeasibilityService> rpcs;

    FeasibilityService(BrokerContext& context, SchedConfig config)
        : RpcService(context.router, "feasibility", Tenure::stand_in),
          context_(context),
          config_(std::move(config)) {
        context.resources->on_define.add([this](const SchedResources&) { inventory_.reset(); });
    }

  private:
    Result<void> feasible(const JsonObject& json) {
        const auto& defined = context_.resources->defined;
        if (!defined) return {};  // all may come yet
        SLUICE_TRY(const Jobspec jobspec, Jobspec::from_json(json));
        if (const Json* constraint = find_path(jobspec.json, "attributes.system.constraints"))
            SLUICE_CHECK(check_constraint_hosts(*constraint, defined->R));
        if (!inventory_) {
            inventory_.emplace(defined->R);
            groups_ = NodeGroups(config_.topology, *inventory_);
        }
        const GroupWish wish{&groups_, group_request_of(jobspec.json)};
        return MatchShape(*inventory_, jobspec.request, jobspec.constraint, config_.match, wish)
            .feasible(*inventory_);
    }

    void check(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const JsonObject& jobspec = in.object("jobspec");
        if (!in) return request.fail(in.error());
        request.respond(feasible(jobspec));
    }

    BrokerContext& context_;
    SchedConfig config_;
    std::optional<Inventory> inventory_;  // made when first asked
    NodeGroups groups_;                   // with it
};

const RpcTable<FeasibilityService> FeasibilityService::rpcs{
    {"check", Caller::user, Body::json, &FeasibilityService::check},
};

}  // namespace

Result<Part> make_feasibility(BrokerContext& context) {
    SLUICE_TRY(SchedConfig config, SchedConfig::from_config(context.config.root()));
    for (const std::string& warning : config.warnings)
        context.log.warning("sched", "{}", warning);
    return Part{std::make_shared<FeasibilityService>(context, std::move(config))};
}

}  // namespace sluice
