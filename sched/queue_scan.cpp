#include "sched/queue_scan.hpp"

#include <algorithm>
#include <iterator>

namespace sluice {
namespace {

/// Puts the job that comes first on top of the heap.
constexpr auto later = [](const PendingJob* a, const PendingJob* b) {
    return JobQueue::Before{}(b, a);
};

/// Jobs of priority 0 are held; they come last.
PendingJob* unless_held(PendingJob* job) { return job->priority == 0 ? nullptr : job; }

}  // namespace

QueueScan::QueueScan(JobQueue& queue, const QueueSettings& settings, const std::uint64_t& epoch)
    : queue_(queue), settings_(settings), epoch_(epoch), next_(queue.jobs().begin()) {
    if (next_ != queue_.jobs().end()) head_ = unless_held(*next_);
}

PendingJob& QueueScan::take() {
    PendingJob& job = *head_;
    shape_ = job.shape;
    alike_ = nullptr;
    if (!by_shape_) {
        ++next_;
        return job;
    }
    std::ranges::pop_heap(candidates_, later);
    candidates_.pop_back();
    const JobQueue::Jobs& alike = queue_.by_shape().at(job.shape);
    const auto after = alike.upper_bound(&job);
    if (after != alike.end()) alike_ = *after;
    return job;
}

void QueueScan::move_on() {
    head_ = nullptr;
    if (done_) return;
    const bool strict = settings_.policy == QueuePolicy::fcfs;
    if (!by_shape_ && (strict || may_reserve())) {
        if (next_ != queue_.jobs().end()) head_ = unless_held(*next_);
        return;
    }
    if (!by_shape_) {
        by_shape_ = true;
        gather_shapes(next_ == queue_.jobs().end() ? nullptr : *next_);
    } else if (alike_ && shape_->blocked_epoch != epoch_) {
        candidates_.push_back(alike_);
        std::ranges::push_heap(candidates_, later);
    }
    if (!candidates_.empty()) head_ = unless_held(candidates_.front());
}

/// The first job of each shape from `first` on.
void QueueScan::gather_shapes(PendingJob* first) {
    if (!first) return;
    for (const auto& [shape, jobs] : queue_.by_shape()) {
        if (shape->blocked_epoch == epoch_) continue;
        const auto at = jobs.lower_bound(first);
        if (at != jobs.end()) candidates_.push_back(*at);
    }
    std::ranges::make_heap(candidates_, later);
}

void QueueScan::on_blocked(Tried tried) {
    blocked_ += tried == Tried::yes;
    done_ = settings_.policy == QueuePolicy::fcfs || blocked_ >= settings_.depth();
}

}  // namespace sluice
