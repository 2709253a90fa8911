#include "broker/jobs/job_table.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace sluice {

Job* JobTable::find(JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->second.get();
}

const Job* JobTable::find(JobId id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->second.get();
}

Job& JobTable::add(std::unique_ptr<Job> job) {
    Job& added = *job;
    max_id_ = std::max(max_id_, added.id);
    const bool is_new = jobs_.emplace(added.id, std::move(job)).second;
    SLUICE_ASSERT(is_new);
    if (!added.inactive()) {
        active_[added.id] = &added;
        return added;
    }
    // Restored rows come in any order: keep the order of their ends.
    const auto place = std::upper_bound(
        inactive_.begin(), inactive_.end(), added.t_inactive,
        [](double t, const Job* other) { return t < other->t_inactive; });
    inactive_.insert(place, &added);
    return added;
}

void JobTable::retire(Job& job) {
    active_.erase(job.id);
    job.active.reset();
    inactive_.push_back(&job);
}

void JobTable::erase(JobId id) {
    const Job* job = find(id);
    if (!job) return;
    active_.erase(id);
    if (!inactive_.empty() && inactive_.front() == job) {
        inactive_.pop_front();
    } else {
        const auto place = std::find(inactive_.begin(), inactive_.end(), job);
        if (place != inactive_.end()) inactive_.erase(place);
    }
    jobs_.erase(id);
}

void JobTable::Counts::add(const Job& job) {
    switch (job.state) {
        case JobState::new_:
        case JobState::depend: ++depend; break;
        case JobState::priority: ++priority; break;
        case JobState::sched: ++sched; break;
        case JobState::run: ++run; break;
        case JobState::cleanup: ++cleanup; break;
        case JobState::inactive: ++inactive; break;
    }
    switch (job.result) {
        case JobResult::none: break;
        case JobResult::completed: ++successful; break;
        case JobResult::failed: ++failed; break;
        case JobResult::canceled: ++canceled; break;
        case JobResult::timeout: ++timeout; break;
    }
}

std::map<std::string, JobTable::Counts> JobTable::counts_by_queue() const {
    std::map<std::string, Counts> counts;
    for (const auto& [id, job] : jobs_) counts[job->queue].add(*job);
    return counts;
}

bool JobTable::any(unsigned states) const {
    return std::ranges::any_of(active_, [&](const auto& it) { return it.second->is(states); });
}

void JobTable::list(const std::function<bool(const Job&)>& take) const {
    std::vector<const Job*> pending, running;
    for (const auto& [id, job] : active_)
        (job->is(job_states::running) ? running : pending).push_back(job);
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Job* a, const Job* b) { return a->priority > b->priority; });
    std::stable_sort(running.begin(), running.end(),
                     [](const Job* a, const Job* b) { return a->t_run > b->t_run; });
    for (const Job* job : pending)
        if (!take(*job)) return;
    for (const Job* job : running)
        if (!take(*job)) return;
    for (auto job = inactive_.rbegin(); job != inactive_.rend(); ++job)
        if (!take(**job)) return;
}

}  // namespace sluice
