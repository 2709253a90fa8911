// Asking job-list for jobs (RFC 43).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_arena.hpp"
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

/// Some jobs of a listing, and the memory that their JSON lives in.
struct JobBatch {
    std::unique_ptr<JsonArena> memory;
    std::vector<JobRow> rows;
};

/// Names of users, each looked up once.
class UserNames {
  public:
    const std::string& of(std::int64_t userid);

  private:
    std::map<std::int64_t, std::string> names_;
};

/// The answer to a query, read in parts as it comes: what has been read may be forgotten.
class JobListing {
  public:
    JobListing(Handle& flux, const JobQuery& query, double now);
    JobListing(const JobListing&) = delete;
    JobListing& operator=(const JobListing&) = delete;

    /// The next rows, as of make_job_rows; none at the end. Errors: as the service sent.
    Result<JobBatch> next();

  private:
    Handle& flux_;
    double now_;
    std::deque<JobBatch> batches_;
    std::optional<Error> end_;
    UserNames users_;
};

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
