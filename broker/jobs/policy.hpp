// RFC 33 - limits and defaults for jobs, from the tables [policy] and [queues.NAME.policy].
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/jobspec.hpp"

namespace sluice {

/// Bounds of one dimension of a job's size; a queue's own bound replaces the general one.
struct SizeLimits {
    std::optional<std::int64_t> nnodes, ncores, ngpus;  // -1 or unset: unlimited
};

struct JobPolicy {
    std::optional<double> default_duration;  // seconds
    std::string default_queue;
    std::optional<double> limit_duration;    // seconds, 0 = unlimited
    SizeLimits max, min;

    /// From a [policy] table; `where` names it in errors. Errors: EINVAL naming the key.
    static Result<JobPolicy> from_config(const JsonObject& table, std::string_view where);
    /// This policy with the settings of `queue` in front.
    JobPolicy with(const JobPolicy& queue) const;
};

/// Errors: EINVAL "requested nnodes (8) exceeds policy limit of 4 for queue batch".
Result<void> check_limits(const JobPolicy& general, const JobPolicy* of_queue,
                          const std::string& queue, const Jobspec& jobspec);

}  // namespace sluice
