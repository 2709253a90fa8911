// The one table of jobs on rank 0. Everything that lists or counts is derived from it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_set>
#include <vector>

#include "broker/jobs/job.hpp"

namespace sluice {

class JobTable {
  public:
    Job* find(JobId id);
    const Job* find(JobId id) const;
    /// Errors: none; the id must be new.
    Job& add(std::unique_ptr<Job> job);
    /// The job just became inactive (its state says so): it joins the finished ones.
    void retire(Job& job);
    /// A job that never was (refused submission) or is purged.
    void erase(JobId id);

    std::size_t size() const { return jobs_.size(); }
    std::size_t active_count() const { return active_.size(); }
    std::size_t inactive_count() const { return jobs_.size() - active_.size(); }
    JobId max_id() const { return max_id_; }
    void raise_max_id(JobId id) { max_id_ = std::max(max_id_, id); }
    std::size_t purged_count() const { return purged_; }
    void add_purged(std::size_t n) { purged_ += n; }

    /// Active jobs by id, that is by time of submission.
    const std::map<JobId, Job*>& active() const { return active_; }
    /// Inactive jobs, first to end first.
    const std::deque<const Job*>& inactive() const { return inactive_; }

    struct Counts {
        std::size_t depend = 0, priority = 0, sched = 0, run = 0, cleanup = 0, inactive = 0;
        std::size_t successful = 0, failed = 0, canceled = 0, timeout = 0;
        std::size_t total() const { return depend + priority + sched + run + cleanup + inactive; }
        void add(const Job& job);
        void remove(const Job& job);
    };
    /// By queue, of all jobs. Cost: one pass over the active ones.
    std::map<std::string, Counts> counts_by_queue() const;
    /// Whether an active job is in any of `states`. Running ones, the oldest, are found soon.
    bool any(unsigned states) const;

    /// Jobs in the order of listings: pending by priority, running newest first, inactive newest
    /// first. The table may change between two steps: what was purged is left out, what came later
    /// too, and nothing comes twice.
    class Walk {
      public:
        explicit Walk(const JobTable& table);
        /// The next job, nullptr at the end.
        const Job* next();

      private:
        const Job* next_inactive();

        const JobTable& table_;
        std::vector<JobId> active_;  // those that were, in order
        std::size_t at_ = 0;         // in active_
        // The inactive one that came last, where it was found, and when it ended.
        JobId last_{};
        std::size_t place_;
        double before_;
    };

  private:
    /// By id, which is in the job: a set takes less than a map, and finds without a job to compare.
    struct IdOf {
        using is_transparent = void;
        static JobId id(JobId id) noexcept { return id; }
        static JobId id(const std::unique_ptr<Job>& job) noexcept { return job->id; }
        std::size_t operator()(const auto& one) const noexcept {
            return std::hash<JobId>{}(id(one));
        }
        bool operator()(const auto& one, const auto& other) const noexcept {
            return id(one) == id(other);
        }
    };
    std::unordered_set<std::unique_ptr<Job>, IdOf, IdOf> jobs_;
    std::map<JobId, Job*> active_;
    std::deque<const Job*> inactive_;
    std::map<std::string, Counts> inactive_counts_;  // by queue
    JobId max_id_;
    std::size_t purged_ = 0;
};

}  // namespace sluice
