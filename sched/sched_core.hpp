// RFC 27 - the scheduler's decisions, without threads or clocks: events come in, pass() gives back
// what was decided. Jobs of one shape (same request, same constraint) share what is known about the
// shape, so a thousand alike that wait cost one match.
//
// Reservations last from pass to pass. They move only to an earlier time, unless what they rest on
// is gone: a node went down, a job was given more time or holds on past its end, or a job that
// comes first arrived.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/job_queue.hpp"
#include "sched/plan.hpp"
#include "sched/queue_scan.hpp"
#include "sched/types.hpp"

namespace sluice {

class SchedCore final {
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
    void set_instance_expiration(double expiration);

    /// Decides all that can be decided at `now` (seconds since the epoch), oldest first.
    std::vector<Decision> pass(double now);
    /// Is there work left that can wait for a quiet moment?
    bool has_idle_work() const { return !untold_.empty(); }
    /// Does a part of that: jobs that no pass came to are told why they wait.
    std::vector<Decision> idle();

    /// Errors: EINVAL "unsatisfiable request: …".
    Result<void> check_feasible(const AllocRequest& request) const;
    SchedStatus status() const;
    const Inventory& inventory() const { return plan_.inventory(); }
    const Plan& plan() const { return plan_; }
    std::size_t pending_count() const { return pending_.size(); }
    std::size_t running_count() const { return plan_.running_count(); }
    /// Walks over the inventory so far.
    std::uint64_t match_count() const { return plan_.match_count(); }

  private:
    using ShapeKey = std::pair<std::string, std::string>;  // request and constraint as text
    enum class Outcome : std::uint8_t { started, denied, blocked, known_blocked };
    static bool is_blocked(Outcome outcome) { return outcome >= Outcome::blocked; }

    JobShape& shape_of(const AllocRequest& request);
    const MatchShape& matcher(JobShape& shape);
    Supply free_supply() const;
    Demand demand_of(PendingJob& job);
    double duration_of(const PendingJob& job) const;

    void drop_void_reservations();
    void drop_reservation(JobId id);
    bool drop_behind(const PendingJob& job);
    void consider(QueueScan& scan);
    void visit_other_holders();
    Outcome try_start(PendingJob& job);
    Outcome deny_unless_feasible(PendingJob& job, Outcome otherwise);
    bool improve(PendingJob& job);
    bool reserve(PendingJob& job);
    void start(PendingJob& job, ResourceSet R);
    void leave(PendingJob& job);

    void explain(JobQueue& queue);
    std::string_view reason_of(PendingJob& job);
    void forget_matches();
    JobQueue& queue_for(const std::string& name);
    void gained(double until);

    SchedConfig config_;
    Plan plan_;
    NodeGroups groups_;
    bool defined_ = false;
    double instance_expiration_ = 0;
    std::map<ShapeKey, JobShape> shapes_;
    std::map<std::string, JobQueue> queues_;
    std::unordered_map<JobId, PendingJob> pending_;
    std::deque<JobId> untold_;  // have no reason yet, if they still wait
    std::uint64_t epoch_ = 1;   // rises when something may fit that did not before
    double gained_until_ = 0;   // since the last pass something became free that was taken until
    bool replan_ = false;       // what reservations rest on has changed
    std::vector<Decision> decisions_;
    double now_ = 0;               // of the pass under way
    std::uint64_t pass_ = 0;
    double improve_before_ = 0;    // no reservation can move to a later time
    std::vector<JobId> dropped_;  // reservations that this pass dropped
};

}  // namespace sluice
