// [sched-fluxion-qmanager]: queue policies and their parameters, for all queues and for each.
#pragma once

#include "sched/types.hpp"

namespace sluice {

/// Reads the table into `config`. `queues` is [queues], or nullptr when there are no named queues:
/// only names found there may have settings of their own.
/// Errors: EINVAL "KEY: what was found; what is allowed".
Result<void> read_qmanager(const JsonObject& table, const JsonObject* queues, SchedConfig& config);

}  // namespace sluice
