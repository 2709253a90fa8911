// Job dependencies (RFC 26): after*, begin-time, singleton. Pure: told of jobs and of the time, it
// says which dependencies are added, which are satisfied, and which never will be.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/jobs/job.hpp"

namespace sluice {

/// What became of a waiting job's dependency.
struct DependencyNews {
    JobId id;
    std::string description;
    bool satisfied = true;  // false: exception type dependency, `note`
    std::string note;
    friend bool operator==(const DependencyNews&, const DependencyNews&) = default;
};

/// A dependency of a new job; one that is satisfied already does not hold it up.
struct AddedDependency {
    std::string description;
    bool satisfied = false;
    friend bool operator==(const AddedDependency&, const AddedDependency&) = default;
};

class Dependencies {
  public:
    using FindJob = std::function<const Job*(JobId)>;
    explicit Dependencies(FindJob find) : find_(std::move(find)) {}

    /// Takes attributes.system.dependencies of a new job. Errors: EINVAL, EPERM; nothing is
    /// kept then.
    Result<std::vector<AddedDependency>> add(const Job& job, const Jobspec& jobspec);
    /// Takes up again what a replayed log says is still missing.
    void restore(const Job& job);
    /// After all jobs are restored: what was decided before the restart but not yet told.
    std::vector<DependencyNews> recheck();

    /// A job started; it is inactive; it will not be waited for (cancelled while it depends).
    std::vector<DependencyNews> on_start(JobId id);
    std::vector<DependencyNews> on_inactive(const Job& job);
    void forget(JobId waiter);

    /// Begin times up to `now` are satisfied.
    std::vector<DependencyNews> on_time(double now);
    std::optional<double> next_time() const;

  private:
    enum class Kind : std::uint8_t { start, success, failure, exception, finish };
    struct Waiter {
        JobId id;
        Kind kind;
        std::string description;
    };
    static std::string_view name_of(Kind kind);
    Result<const Job*> find_target(const Job& job, const std::string& scheme,
                                   const std::string& value) const;
    static bool satisfies(const Job& ended, Kind kind);
    static Result<bool> satisfied_by(const Job& target, Kind kind, const std::string& value);
    std::vector<DependencyNews> settle_after(const Job& job);
    void settle_singletons(const Job& job, std::vector<DependencyNews>& news);

    FindJob find_;
    std::unordered_multimap<JobId, Waiter> after_;              // by the job waited for
    std::multimap<double, std::pair<JobId, std::string>> times_;
    using NameKey = std::pair<std::uint32_t, std::string>;      // userid, job name
    struct NameGroup {
        std::unordered_set<JobId> running;
        std::vector<JobId> held;                                // in order of submission
    };
    std::map<NameKey, NameGroup> names_;
};

}  // namespace sluice
