// RFC 27 - the scheduler's decisions, without threads or clocks: events come in, pass() gives back
// what was decided. Jobs of one shape (same request, same constraint) share what is known about the
// shape, so a thousand alike that wait cost one match.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"
#include "sched/job_queue.hpp"
#include "sched/types.hpp"

namespace sluice {

class SchedCore {
  public:
    explicit SchedCore(SchedConfig config = {});

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

    Result<void> check_feasible(const AllocRequest& request) const;
    SchedStatus status() const;
    std::size_t pending_count() const { return pending_.size(); }
    std::size_t running_count() const { return running_.size(); }
    /// Walks over the inventory so far.
    std::uint64_t match_count() const { return match_count_; }

  private:
    friend class EasyBackfill;
    struct Shape {
        ResourceRequest request;
        Constraint constraint;
        std::size_t jobs = 0;                // that wait
        std::unique_ptr<MatchShape> match;   // for the resources defined now
        std::uint64_t blocked_epoch = 0;     // did not fit since this epoch
        std::string missing;                 // why, while blocked
    };
    struct Running {
        ResourceSet R;
        double expiration = 0;
    };
    using ShapeKey = std::pair<std::string, std::string>;
    enum class Outcome : std::uint8_t { started, denied, blocked };

    Shape& shape_of(const AllocRequest& request);
    void leave(const PendingJob& job);
    const MatchShape& matcher(Shape& shape);
    Outcome try_start(const PendingJob& job);
    Outcome start(const PendingJob& job, ResourceSet R);
    JobQueue* next_queue();
    void explain(JobQueue& queue);
    void annotate(PendingJob& job, std::string reason);
    double end_of(double duration) const;

    SchedConfig config_;
    Inventory inventory_;
    bool defined_ = false;
    double instance_expiration_ = 0;
    std::map<ShapeKey, Shape> shapes_;
    std::unordered_map<JobId, PendingJob> pending_;
    std::map<std::string, JobQueue> queues_;
    std::unordered_map<JobId, Running> running_;
    std::uint64_t epoch_ = 1;  // rises when something may fit that did not before
    std::uint64_t match_count_ = 0;
    double now_ = 0;
    std::vector<Decision> decisions_;
};

}  // namespace sluice
