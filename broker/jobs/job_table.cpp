#include "broker/jobs/job_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/assert.hpp"

namespace sluice {

namespace {

using Count = std::size_t JobTable::Counts::*;

Count member_of(JobState state) {
    switch (state) {
        case JobState::new_:
        case JobState::depend: return &JobTable::Counts::depend;
        case JobState::priority: return &JobTable::Counts::priority;
        case JobState::sched: return &JobTable::Counts::sched;
        case JobState::run: return &JobTable::Counts::run;
        case JobState::cleanup: return &JobTable::Counts::cleanup;
        case JobState::inactive: break;
    }
    return &JobTable::Counts::inactive;
}

Count member_of(JobResult result) {
    switch (result) {
        case JobResult::none: break;
        case JobResult::completed: return &JobTable::Counts::successful;
        case JobResult::failed: return &JobTable::Counts::failed;
        case JobResult::canceled: return &JobTable::Counts::canceled;
        case JobResult::timeout: return &JobTable::Counts::timeout;
    }
    return nullptr;
}

}  // namespace

Job* JobTable::find(JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->get();
}

const Job* JobTable::find(JobId id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : found->get();
}

Job& JobTable::add(std::unique_ptr<Job> job) {
    Job& added = *job;
    max_id_ = std::max(max_id_, added.id);
    const bool is_new = jobs_.insert(std::move(job)).second;
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
    inactive_counts_[added.queue].add(added);
    return added;
}

void JobTable::retire(Job& job) {
    active_.erase(job.id);
    job.active.reset();
    inactive_.push_back(&job);
    inactive_counts_[job.queue].add(job);
}

void JobTable::erase(JobId id) {
    const Job* job = find(id);
    if (!job) return;
    if (active_.erase(id) == 0) inactive_counts_[job->queue].remove(*job);
    if (!inactive_.empty() && inactive_.front() == job) {
        inactive_.pop_front();
    } else {
        const auto place = std::find(inactive_.begin(), inactive_.end(), job);
        if (place != inactive_.end()) inactive_.erase(place);
    }
    jobs_.erase(jobs_.find(id));
}

void JobTable::Counts::add(const Job& job) {
    ++(this->*member_of(job.state));
    if (const auto result = member_of(job.result)) ++(this->*result);
}

void JobTable::Counts::remove(const Job& job) {
    --(this->*member_of(job.state));
    if (const auto result = member_of(job.result)) --(this->*result);
}

std::map<std::string, JobTable::Counts> JobTable::counts_by_queue() const {
    std::map<std::string, Counts> counts = inactive_counts_;
    for (const auto& [id, job] : active_) counts[job->queue].add(*job);
    return counts;
}

bool JobTable::any(unsigned states) const {
    return std::ranges::any_of(active_, [&](const auto& it) { return it.second->is(states); });
}

JobTable::Walk::Walk(const JobTable& table) : table_(table) {
    std::vector<const Job*> pending, running;
    for (const auto& [id, job] : table.active_)
        (job->is(job_states::running) ? running : pending).push_back(job);
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Job* a, const Job* b) { return a->priority > b->priority; });
    std::stable_sort(running.begin(), running.end(),
                     [](const Job* a, const Job* b) { return a->t_run > b->t_run; });
    active_.reserve(table.active_.size());
    for (const Job* job : pending) active_.push_back(job->id);
    for (const Job* job : running) active_.push_back(job->id);
    const auto& inactive = table.inactive_;
    place_ = inactive.size();
    before_ = inactive.empty() ? 0 : std::nextafter(inactive.back()->t_inactive, HUGE_VAL);
}

const Job* JobTable::Walk::next() {
    while (at_ < active_.size())
        if (const Job* job = table_.find(active_[at_++])) return job;
    return next_inactive();
}

/// Times of ending tell where to go on in a table that has changed.
const Job* JobTable::Walk::next_inactive() {
    const auto& inactive = table_.inactive_;
    const bool unchanged = place_ < inactive.size() && inactive[place_]->id == last_;
    if (!unchanged) {
        const auto end = std::partition_point(
            inactive.begin(), inactive.end(),
            [this](const Job* job) { return job->t_inactive < before_; });
        place_ = static_cast<std::size_t>(end - inactive.begin());
    }
    if (place_ == 0) return nullptr;
    const Job* job = inactive[--place_];
    last_ = job->id;
    before_ = job->t_inactive;
    return job;
}

}  // namespace sluice
