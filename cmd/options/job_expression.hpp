// Expressions of flux pgrep: a pattern for the job name, and terms NAME:VALUE, combined with
// "not", "and" (also by juxtaposition), "or" and parentheses, each its own word.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cmd/format/job_fields.hpp"

namespace sluice {

using JobPredicate = std::function<bool(const JobRow&)>;

/// Terms: name:RE and cwd:RE (anywhere in the text), jobid:ID, host:HOSTS, rank:IDSET, and
/// ntasks, nnodes, ncores, duration: a value or a closed range A..B.
/// Errors: EINVAL in the words of the reference, "Only one pattern can be provided" among them.
Result<JobPredicate> parse_job_expression(const std::vector<std::string>& words);

}  // namespace sluice
