// Fields of `flux jobs` and its relatives, derived from what job-list says of a job (RFC 43).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/strong_id.hpp"
#include "cmd/format/format_spec.hpp"

namespace sluice {

/// What a job that is an instance says of itself (fields instance.*).
struct InstanceSummary {
    std::int64_t pending = 0, running = 0, completed = 0, failed = 0;
    /// Counts by set ("all", "up", "down", "allocated", "free") and kind ("nnodes", …).
    JsonObject resources;
    double utilization = 0, gpu_utilization = 0;
    bool known = false;
};

/// One job.
struct JobRow {
    JsonObject json;       // as job-list gives it: state and result are numbers
    double now = 0;        // seconds since the epoch
    std::string username;
    std::string local_uri; // the job's URI, made local; empty: none
    // In the named formats INFO also tells why a job waits; scripts see what clients know.
    bool tells_why = false, queue_stopped = false;
    InstanceSummary instance;

    JobId id() const;
    std::int64_t integer(std::string_view key) const;  // 0 when unset
    double real(std::string_view key) const;           // 0 when unset
    std::string text(std::string_view key) const;      // "" when unset
    bool has(std::string_view key) const { return json.contains(key); }
};

std::optional<std::string> job_heading(std::string_view field);
FieldValue job_field(const JobRow& job, std::string_view field);
/// The job-list attributes that these fields need.
std::vector<std::string> job_attributes(const std::vector<std::string>& fields);

/// Exit status, -signal, -128 canceled before it started, 1 failed before it started; unset while
/// the job is active.
std::optional<std::int64_t> job_returncode(const JobRow& job);
double job_runtime(const JobRow& job);
double job_time_remaining(const JobRow& job);
std::string job_status(const JobRow& job);
/// URI of the instance the job runs, as its memo gives it; empty if it is none.
std::string job_uri(const JobRow& job);
std::string inactive_reason(const JobRow& job);

/// The object that `flux jobs --json` prints.
JsonObject job_to_json(const JobRow& job);

}  // namespace sluice
