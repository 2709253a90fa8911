// Which jobs of a queue a pass considers, in which order. First every job in turn, as long as those
// that do not fit get reservations; then only jobs of shapes that are not known to be blocked, so
// ten thousand jobs that cannot start cost no more than their shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/job_queue.hpp"
#include "sched/types.hpp"

namespace sluice {

class QueueScan {
  public:
    /// `epoch`: of the pass, see JobShape.
    QueueScan(JobQueue& queue, const QueueSettings& settings, const std::uint64_t& epoch);

    /// The next job to consider, or nullptr when the pass is done with the queue.
    PendingJob* head() const { return head_; }
    /// Moves past the head, which may leave its queue before move_on().
    PendingJob& take();
    void move_on();

    /// May a job that does not fit now be given a reservation?
    bool may_reserve() const { return reserved_ < settings_.reservations(); }
    void on_reserved() { ++reserved_; }
    /// A job does not start; `tried`: that was found out with a match, and counts.
    enum class Tried : std::uint8_t { no, yes };
    void on_blocked(Tried tried);
    JobQueue& queue() { return queue_; }

  private:
    void gather_shapes(PendingJob* first);

    JobQueue& queue_;
    const QueueSettings& settings_;
    const std::uint64_t& epoch_;
    JobQueue::Jobs::const_iterator next_;
    std::vector<PendingJob*> candidates_;  // a heap: the first job of each shape
    PendingJob* head_ = nullptr;
    PendingJob* alike_ = nullptr;          // that comes after the head
    JobShape* shape_ = nullptr;            // of the job taken last
    std::uint32_t reserved_ = 0, blocked_ = 0;
    bool by_shape_ = false, done_ = false;
};

}  // namespace sluice
