#include "sched/reasons.hpp"

#include "sched/summary.hpp"

namespace sluice {

JsonObject sched_annotation(std::string_view key, Json value) {
    JsonObject sched;
    sched[key] = std::move(value);
    JsonObject annotations;
    annotations["sched"] = std::move(sched);
    return annotations;
}

JsonObject alloc_annotations(const PendingJob& job, const ResourceSet& R) {
    JsonObject sched;
    sched["resource_summary"] = resource_summary(R);
    if (!job.reason.empty()) sched["reason_pending"] = nullptr;
    if (job.t_estimate > 0) sched["t_estimate"] = nullptr;
    JsonObject annotations;
    annotations["sched"] = std::move(sched);
    return annotations;
}

void tell_reason(PendingJob& job, std::string_view reason, std::vector<Decision>& decisions) {
    if (job.reason == reason) return;
    job.reason = reason;
    decisions.emplace_back(
        Annotate{job.id, sched_annotation("reason_pending", Json(job.reason))});
}

void tell_estimate(PendingJob& job, double at, std::vector<Decision>& decisions) {
    const double later = at - job.t_estimate;
    if (at > 0 && job.t_estimate > 0 && later >= 0 && later < 1) return;
    if (at == job.t_estimate) return;
    job.t_estimate = at;
    decisions.emplace_back(
        Annotate{job.id, sched_annotation("t_estimate", at > 0 ? Json(at) : Json(nullptr))});
}

}  // namespace sluice
