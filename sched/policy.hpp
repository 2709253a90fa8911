// Queue policies: what may start although the head of its queue has to wait.
#pragma once

#include "sched/job_queue.hpp"
#include "sched/types.hpp"

namespace sluice {

/// What a policy may do in a scheduling pass.
class Pass {
  public:
    /// Keeps resources for `job` at the earliest time they will be free; false when that is not
    /// known (a job without time limit, a node that is down): nothing is kept then.
    virtual bool reserve(PendingJob& job) = 0;
    /// Starts `job` if it fits now and delays no reservation. The job is gone when true.
    virtual bool try_backfill(PendingJob& job) = 0;

  protected:
    ~Pass() = default;
};

class Policy {
  public:
    /// Called when the head of `queue` does not fit; may look at `depth` jobs behind it.
    virtual void behind_blocked_head(Pass& pass, JobQueue& queue, std::uint32_t depth) const = 0;

  protected:
    ~Policy() = default;
};

const Policy& policy(QueuePolicy which);

}  // namespace sluice
