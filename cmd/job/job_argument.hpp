// Job ids on the command lines of the C tools.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/strong_id.hpp"

namespace sluice {

/// Errors: EINVAL `error parsing jobid: "TEXT"`.
Result<JobId> parse_job_argument(const std::string& text);

}  // namespace sluice
