// Jobs that wait, in the order in which they are considered: priority, then time of submission,
// then id. Each refers to its shape: what the scheduler knows about all jobs that ask for the same.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/rfc/constraint.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/strong_id.hpp"
#include "resource/match/matcher.hpp"
#include "sched/plan.hpp"

namespace sluice {

struct JobShape {
    const std::pair<std::string, std::string>* key = nullptr;  // its place in the table of shapes
    ResourceRequest request;
    Constraint constraint;
    GroupRequest group;
    std::size_t jobs = 0;               // that wait
    std::unique_ptr<MatchShape> match;  // for the resources defined now
    Supply least;                       // with match
    bool known_feasible = false;
    Shortage shortage;                  // beside what is kept for others

    // While the epoch is the same nothing was gained, and this holds:
    std::uint64_t blocked_epoch = 0;     // does not fit on what is free
    std::uint64_t unplannable_epoch = 0; // no time is known at which it will fit
    std::uint64_t missing_epoch = 0;
    std::string missing;                 // what it lacks
};

class JobQueue;

struct PendingJob {
    JobId id;
    std::uint32_t priority = 0;
    double t_submit = 0, duration = 0;
    JobShape* shape = nullptr;
    JobQueue* queue = nullptr;
    std::string asked_queue;
    std::uint64_t holder_pass = 0;  // that saw it with a reservation last
    bool fresh = true;     // in its place, since it was considered last
    std::string reason;    // annotation given last
    double t_estimate = 0; // 0: none given
};

class JobQueue {
  public:
    struct Before {
        bool operator()(const PendingJob* a, const PendingJob* b) const {
            return std::tuple{b->priority, a->t_submit, a->id} <
                   std::tuple{a->priority, b->t_submit, b->id};
        }
    };
    using Jobs = std::set<PendingJob*, Before>;
    using Shapes = std::unordered_map<JobShape*, Jobs>;

    explicit JobQueue(std::string name) : name_(std::move(name)) {}
    const std::string& name() const { return name_; }
    const Jobs& jobs() const { return jobs_; }
    const Shapes& by_shape() const { return by_shape_; }
    void insert(PendingJob& job);
    void erase(PendingJob& job);
    void reprioritize(PendingJob& job, std::uint32_t priority);

  private:
    std::string name_;
    Jobs jobs_;
    Shapes by_shape_;
};

}  // namespace sluice
