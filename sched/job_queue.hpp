// Jobs that wait, in the order in which they are considered: priority, then time of submission,
// then id. Each refers to its shape: what the scheduler knows about all jobs that ask for the same.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/rfc/constraint.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/strong_id.hpp"
#include "resource/match/matcher.hpp"

namespace sluice {

struct JobShape {
    const std::pair<std::string, std::string>* key = nullptr;  // its place in the table of shapes
    ResourceRequest request;
    Constraint constraint;
    std::size_t jobs = 0;               // that wait
    std::unique_ptr<MatchShape> match;  // for the resources defined now
    bool known_feasible = false;
    std::uint64_t blocked_epoch = 0;    // does not fit until the epoch changes
    std::uint64_t shadow_blocked_pass = 0;  // nor beside the reservations of this pass
    std::string missing;                // why, while blocked
};

class JobQueue;

struct PendingJob {
    JobId id;
    std::uint32_t priority = 0;
    double t_submit = 0, duration = 0;
    JobShape* shape = nullptr;
    JobQueue* queue = nullptr;
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

    const Jobs& jobs() const { return jobs_; }
    /// The job to consider first, or nullptr; jobs of priority 0 are held.
    PendingJob* head() const {
        return jobs_.empty() || (*jobs_.begin())->priority == 0 ? nullptr : *jobs_.begin();
    }
    void insert(PendingJob& job) { jobs_.insert(&job); }
    void erase(PendingJob& job) { jobs_.erase(&job); }
    void reprioritize(PendingJob& job, std::uint32_t priority) {
        erase(job);
        job.priority = priority;
        insert(job);
    }
    bool blocked = false;  // its head does not fit now

  private:
    Jobs jobs_;
};

}  // namespace sluice
