#include "broker/parts.hpp"

namespace sluice {
namespace {

using enum Stage;
using enum Ranks;

constexpr PartRow rows[] = {
    {"attr", core, all, make_attr},
    {"log", core, all, make_log},
    {"broker", core, all, make_broker_core},
    {"event", core, all, make_event},
    {"module", core, all, make_module},
    {"rexec", core, all, make_rexec},
    {"config", core, all, make_config},
    {"groups", core, all, make_groups},
    {"overlay", core, all, make_overlay},
    {"shutdown", core, all, make_shutdown},
    {"state-machine", core, all, make_state_machine},
    {"content", core, lead, make_content},
    {"heartbeat", rc1, all, make_heartbeat},
    {"kvs", rc1, lead, make_kvs},
    {"relays", rc1, all, make_relays},
    {"parent", rc1, lead, make_parent},
    {"resource", rc1, all, make_resource},
    {"feasibility", rc1, lead, make_feasibility},
    {"job-launcher", rc1, all, make_job_launcher},
    {"jobs", rc1, lead, make_jobs},
    {"cron", rc1, lead, make_cron},
    {"startlog", rc1, lead, make_startlog},
};

}  // namespace

std::span<const PartRow> broker_parts() {
    return rows;
}

}  // namespace sluice
