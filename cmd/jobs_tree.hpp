// The work of flux jobs: fetching the jobs of an instance and of the instances among them, and
// printing them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/color.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

/// Columns of the terminal on standard output, -1 without one.
std::int64_t terminal_width();

struct JobsOptions {
    bool all_states = false, all_users = false, no_header = false, json = false, stats = false,
         stats_only = false, recursive = false, recurse_all = false, from_stdin = false;
    std::optional<std::string> user, since, filter, sort;
    std::string name, include, format = "default";
    std::vector<std::string> queues;
    std::int64_t count = 1000, width = -1, level = 9999, threads = 0;
    ColorWhen color = ColorWhen::automatic;
};

/// What the options come to.
struct JobsPlan {
    OutputFormat format;
    JobFilter filter;
    double since = 0;
    std::vector<std::string> attributes;
    bool instances = false;  // a field asks the instances among the jobs
    bool tells_why = false;  // INFO of a named format
};

std::string render_jobs(const JobsPlan& plan, const JobsOptions& options,
                        const std::vector<JobRow>& rows);
/// "2 running, 10 completed, 1 failed, 3 pending, 0 inactive purged".
std::string stats_line(const JsonObject& stats, bool purged);

class JobsLister {
  public:
    JobsLister(const JobsOptions& options, const JobsPlan& plan, double now)
        : options_(options), plan_(plan), now_(now) {}
    /// Lists the jobs `ids`, or those of the filter when it is empty; the exit code.
    Result<int> run(Handle& flux, const std::vector<std::string>& ids);

  private:
    Result<std::vector<JobRow>> by_filter(Handle& flux) const;
    Result<std::vector<JobRow>> by_ids(Handle& flux, const std::vector<std::string>& ids) const;
    std::vector<JobRow> rows_of(Handle& flux, std::vector<JsonObject> jobs) const;
    Result<int> print_stats(Handle& flux) const;
    void print_children(const std::vector<JobRow>& rows, const std::string& path, int level) const;
    JsonArray json_rows(const std::vector<JobRow>& rows, int level) const;
    bool enters(const JobRow& row, int level) const;

    const JobsOptions& options_;
    const JobsPlan& plan_;
    double now_;
};

}  // namespace sluice
