// What the configuration says about the scripts around a job: [job-manager] prolog, epilog,
// perilog and housekeeping (flux-config-job-manager(5)). Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// Runs before the job's shells (prolog) or after them (epilog).
struct PerilogConfig {
    std::vector<std::string> command;
    bool per_rank = false;      // on each rank of the job, else on rank 0
    bool cancel_on_exception = false;
    double timeout = 0;         // seconds, 0: none
    double kill_timeout = 60;   // seconds from SIGTERM until a node is given up
    friend bool operator==(const PerilogConfig&, const PerilogConfig&) = default;
};

/// Runs on each rank of the job when the job has let go of its resources.
struct HousekeepingConfig {
    std::vector<std::string> command;
    /// Seconds from the first rank that is done until those that are done go back to the scheduler;
    /// 0: each at once; -1: all together.
    double release_after = -1;
    std::vector<std::string> warnings;  // to be logged
    friend bool operator==(const HousekeepingConfig&, const HousekeepingConfig&) = default;
};

/// Output lines that are not worth a line of the log: empty ones, and those that match a pattern.
class LogFilter {
  public:
    LogFilter();
    /// POSIX extended expressions. Errors: EINVAL naming the pattern.
    static Result<LogFilter> from(const std::vector<std::string>& patterns);
    bool drops(const std::string& line) const;

  private:
    struct Patterns;
    std::shared_ptr<const Patterns> patterns_;
};

struct ScriptConfig {
    std::optional<PerilogConfig> prolog, epilog;
    std::optional<HousekeepingConfig> housekeeping;
    LogFilter log_ignore;
    /// From the whole configuration. Without `command` it is `flux-imp run NAME`, as exec.imp says.
    /// Errors: EINVAL naming the table and the key.
    static Result<ScriptConfig> from_config(const JsonObject& config);
};

}  // namespace sluice
