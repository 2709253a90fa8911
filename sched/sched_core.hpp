// RFC 27 - the scheduler's decisions, without threads or clocks: events come in, pass() gives back
// what was decided. Jobs of one shape (same request, same constraint) share what is known about the
// shape, so a thousand alike that wait cost one match.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/job_queue.hpp"
#include "sched/policy.hpp"
#include "sched/types.hpp"

namespace sluice {

class SchedCore final : private Pass {
  public:
    explicit SchedCore(SchedConfig config = {});
    SchedCore(const SchedCore&) = delete;
    SchedCore& operator=(const SchedCore&) = delete;

    void define(SchedResources resources);
    void set_up(const Idset& ranks, bool up);
    void configure(SchedConfig config);
    void hello(RunningJob job);
    void submit(AllocRequest request);
    void cancel(JobId id);
    void prioritize(const std::vector<std::pair<JobId, std::uint32_t>>& priorities);
    void free(JobId id, const ResourceSet& R, bool final);
    void set_expiration(JobId id, double expiration);
    void set_instance_expiration(double expiration) { instance_expiration_ = expiration; }

    /// Decides all that can be decided at `now` (seconds since the epoch), oldest first.
    std::vector<Decision> pass(double now);

    /// Errors: EINVAL "unsatisfiable request: …".
    Result<void> check_feasible(const AllocRequest& request) const;
    SchedStatus status() const;
    const Inventory& inventory() const { return inventory_; }
    std::size_t pending_count() const { return pending_.size(); }
    std::size_t running_count() const { return running_.size(); }
    /// Walks over the inventory so far.
    std::uint64_t match_count() const { return match_count_; }

  private:
    using ShapeKey = std::pair<std::string, std::string>;  // request and constraint as text
    enum class Outcome : std::uint8_t { started, denied, blocked };

    bool reserve(PendingJob& job) override;
    bool try_backfill(PendingJob& job) override;

    JobShape& shape_of(const AllocRequest& request);
    const MatchShape& matcher(JobShape& shape);
    std::optional<ResourceSet> match_now(JobShape& shape);
    Outcome try_start(PendingJob& job);
    void start(PendingJob& job, ResourceSet R);
    void leave(PendingJob& job);
    JobQueue* next_queue();
    void explain(JobQueue& queue);
    void give_reason(PendingJob& job, std::string reason);
    double end_of(double duration) const;
    void forget_matches();

    SchedConfig config_;
    Inventory inventory_;
    bool defined_ = false;
    double instance_expiration_ = 0;
    std::map<ShapeKey, JobShape> shapes_;
    std::map<std::string, JobQueue> queues_;
    std::unordered_map<JobId, PendingJob> pending_;
    std::unordered_map<JobId, ResourceSet> running_;
    std::uint64_t epoch_ = 1;  // rises when something may fit that did not before
    std::uint64_t match_count_ = 0;
    std::vector<Decision> decisions_;

    // Of the pass under way.
    double now_ = 0;
    std::uint64_t pass_ = 0;
    std::optional<Inventory> shadow_;  // what is free beside the reservations
    double reserved_from_ = 0;         // the earliest reservation begins here
};

}  // namespace sluice
