// Targets such as a job id, "/", "..", "pid:123" or a URI, as the URI of an instance.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/rpc/handle.hpp"

namespace sluice {

enum class UriForm { stored, local, remote, reachable };

/// `stored`: as the instance gave it, or local where FLUX_URI_RESOLVE_LOCAL is set; `reachable`:
/// local for instances of this host too.
/// Errors: EINVAL, ENOENT: "jobid X not found", "jobid X is not running",
/// "URI not found for job X", "No plugin for URI scheme X"; and as a connection fails.
Result<std::string> resolve_target_uri(const std::string& target, UriForm form);

}  // namespace sluice
