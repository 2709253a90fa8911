// RFC 31 - a host in a constraint that the instance does not have is a typing error, told at
// submission rather than by a job that never runs.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice {

/// Looks for the hosts of `constraint` (attributes.system.constraints of a jobspec) in R.
/// Errors: EINVAL "host constraint contains invalid hosts: host 'x' not found".
Result<void> check_constraint_hosts(const Json& constraint, const ResourceSet& R);

}  // namespace sluice
