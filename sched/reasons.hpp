// RFC 27 - what a waiting job is told: annotations sched.reason_pending and sched.t_estimate.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "sched/job_queue.hpp"
#include "sched/types.hpp"

namespace sluice {

inline constexpr std::string_view reason_others = "priority: other jobs come first";
inline constexpr std::string_view reason_kept = "priority: would delay a job that comes first";

/// {"sched": {KEY: value}}
JsonObject sched_annotation(std::string_view key, Json value);
/// Of a job that gets R: the summary, and null for what the job was told while it waited.
JsonObject alloc_annotations(const PendingJob& job, const ResourceSet& R);

/// Tells `reason`, unless the job knows it.
void tell_reason(PendingJob& job, std::string_view reason, std::vector<Decision>& decisions);
/// Tells when the job will start; 0 takes an estimate back. Less than a second later is no news.
void tell_estimate(PendingJob& job, double at, std::vector<Decision>& decisions);

}  // namespace sluice
