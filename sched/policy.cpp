#include "sched/policy.hpp"

#include <iterator>

namespace sluice {
namespace {

/// Strict order: nobody passes the head.
class Fcfs final : public Policy {
  public:
    void behind_blocked_head(Pass&, JobQueue&, std::uint32_t) const override {}
};

/// The head gets a reservation; whatever does not delay it may go first.
class EasyBackfill final : public Policy {
  public:
    void behind_blocked_head(Pass& pass, JobQueue& queue, std::uint32_t depth) const override {
        pass.reserve(*queue.head());
        auto next = std::next(queue.jobs().begin());
        for (std::uint32_t seen = 0; seen < depth && next != queue.jobs().end(); ++seen) {
            PendingJob& job = **next++;
            if (job.priority == 0) return;
            pass.try_backfill(job);
        }
    }
};

}  // namespace

const Policy& policy(QueuePolicy which) {
    static const Fcfs fcfs;
    static const EasyBackfill easy;
    switch (which) {
        case QueuePolicy::fcfs: return fcfs;
        case QueuePolicy::easy: return easy;
    }
    return fcfs;
}

}  // namespace sluice
