#include "sched/job_queue.hpp"

namespace sluice {

void JobQueue::insert(PendingJob& job) {
    jobs_.insert(&job);
    by_shape_[job.shape].insert(&job);
}

void JobQueue::erase(PendingJob& job) {
    jobs_.erase(&job);
    const auto alike = by_shape_.find(job.shape);
    alike->second.erase(&job);
    if (alike->second.empty()) by_shape_.erase(alike);
}

void JobQueue::reprioritize(PendingJob& job, std::uint32_t priority) {
    erase(job);
    job.priority = priority;
    insert(job);
}

}  // namespace sluice
