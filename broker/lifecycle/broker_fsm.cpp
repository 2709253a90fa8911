#include "broker/lifecycle/broker_fsm.hpp"

namespace sluice {
namespace {

using enum BrokerState;

struct Transition {
    BrokerState from;
    std::string_view event;
    BrokerState to;
};

constexpr Transition transitions[] = {
    {load_builtins, "builtins-success", join},
    {load_builtins, "builtins-fail", BrokerState::exit},
    {join, "parent-ready", config_sync},
    {join, "parent-none", config_sync},
    {join, "parent-fail", shutdown},
    {join, "shutdown", shutdown},
    {config_sync, "sync-success", init},
    {config_sync, "sync-none", init},
    {config_sync, "sync-fail", shutdown},
    {config_sync, "shutdown", shutdown},
    {init, "rc1-success", quorum},
    {init, "rc1-none", quorum},
    {init, "rc1-ignorefail", quorum},
    {init, "rc1-fail", shutdown},
    {init, "shutdown", shutdown},
    {quorum, "quorum-full", run},
    {quorum, "quorum-fail", shutdown},
    {quorum, "shutdown", shutdown},
    {run, "rc2-success", cleanup},
    {run, "rc2-fail", cleanup},
    {run, "rc2-none", cleanup},
    {run, "shutdown", cleanup},
    {cleanup, "cleanup-success", shutdown},
    {cleanup, "cleanup-none", shutdown},
    {cleanup, "cleanup-fail", shutdown},
    {shutdown, "children-complete", finalize},
    {shutdown, "children-none", finalize},
    {finalize, "rc3-success", goodbye},
    {finalize, "rc3-none", goodbye},
    {finalize, "rc3-fail", goodbye},
    {goodbye, "goodbye", unload_builtins},
    {unload_builtins, "builtins-done", BrokerState::exit},
};

constexpr std::string_view names[] = {
    "load-builtins", "join",     "config-sync", "init",    "quorum",          "run",
    "cleanup",       "shutdown", "finalize",    "goodbye", "unload-builtins", "exit",
};

}  // namespace

std::string_view broker_state_name(BrokerState state) { return names[static_cast<int>(state)]; }

std::optional<BrokerState> BrokerFsm::on_event(std::string_view event) {
    if (event == "panic") {
        if (state_ == BrokerState::exit) return std::nullopt;
        return state_ = BrokerState::exit;
    }
    for (const Transition& transition : transitions)
        if (transition.from == state_ && transition.event == event) return state_ = transition.to;
    return std::nullopt;
}

}  // namespace sluice
