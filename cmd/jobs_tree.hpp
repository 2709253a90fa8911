// The work of flux jobs: fetching the jobs of an instance and of the instances among them, and
// printing them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cmd/color.hpp"
#include "cmd/format/table.hpp"
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

/// The table of jobs that these options want.
class JobsTable {
  public:
    JobsTable(const JobsPlan& plan, const JobsOptions& options);
    void add(const JobRow& row);
    std::size_t size() const { return table_.size(); }
    std::string text() { return table_.text(); }

  private:
    Table table_;
    bool coloured_;
};

/// "2 running, 10 completed, 1 failed, 3 pending, 0 inactive purged".
std::string stats_line(const JsonObject& stats, bool purged);

class JobsLister {
  public:
    JobsLister(const JobsOptions& options, const JobsPlan& plan, double now)
        : options_(options), plan_(plan), now_(now) {}
    /// Lists the jobs `ids`, or those of the filter when it is empty; the exit code.
    Result<int> run(Handle& flux, const std::vector<std::string>& ids);

  private:
    /// A running instance among the jobs that is to be entered.
    struct Instance {
        JobId id;
        std::string uri;
    };
    struct Listing {
        std::string text;
        std::size_t rows = 0;
        std::vector<Instance> instances;
    };

    JobQuery query() const;
    Result<Listing> list(Handle& flux, int level) const;
    Result<Listing> list_ids(Handle& flux, const std::vector<std::string>& words) const;
    void add(Handle& flux, std::vector<JobRow>& rows, int level, JobsTable& table,
             std::vector<Instance>& instances) const;
    void truncate(std::vector<JobRow>& rows, std::size_t before) const;
    Result<std::vector<JobRow>> by_filter(Handle& flux) const;
    Result<std::vector<JobRow>> by_ids(Handle& flux, const std::vector<std::string>& words) const;
    Result<int> print_stats(Handle& flux) const;
    Result<int> print_json(Handle& flux, const std::vector<std::string>& ids) const;
    void print_children(const std::vector<Instance>& instances, const std::string& path,
                        int level) const;
    JsonArray json_rows(const std::vector<JobRow>& rows, int level) const;
    bool enters(const JobRow& row, int level) const;

    const JobsOptions& options_;
    const JobsPlan& plan_;
    double now_;
};

}  // namespace sluice
