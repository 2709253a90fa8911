// Asking job-list for jobs (RFC 43).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/rpc/handle.hpp"
#include "cmd/format/job_fields.hpp"

namespace sluice {

struct JobQuery {
    std::int64_t entries_max = 0;  // 0: all
    std::vector<std::string> attributes;
    double since = 0;
    JsonObject constraint;
};

/// Jobs in the order of job-list: pending, running, inactive. Errors: as the service sent.
Result<std::vector<JsonObject>> list_jobs(Handle& flux, const JobQuery& query);

/// The jobs with these ids, in their order; nullopt for an unknown one.
Result<std::vector<std::optional<JsonObject>>> list_job_ids(
    Handle& flux, const std::vector<JobId>& ids, const std::vector<std::string>& attributes);
/// One job. Errors: ENOENT.
Result<JsonObject> list_job_id(Handle& flux, JobId id, const std::vector<std::string>& attributes);

/// The jobspec with all updates so far. Errors: as job-info sent.
Result<JsonObject> current_jobspec(Handle& flux, JobId id);

/// Rows of jobs, with user names and local URIs filled in.
std::vector<JobRow> make_job_rows(std::vector<JsonObject> jobs, double now);

/// Sets tells_why, and queue_stopped of jobs that wait for the scheduler; asks once a queue of such
/// jobs.
void explain_waits(Handle& flux, std::vector<JobRow>& rows);

/// "ssh://HOST/PATH" as "local://PATH"; other URIs as they are.
std::string localized_uri(const std::string& uri);
/// localized_uri when the host is this one or FLUX_URI_RESOLVE_LOCAL is set.
std::string reachable_uri(const std::string& uri);

/// Fills row.instance of running instances by asking each of them.
void load_instance_summaries(std::vector<JobRow>& rows);

}  // namespace sluice
