// What the submission commands share: their command line, the process around them, and the one RPC
// a job costs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"
#include "cmd/cli.hpp"
#include "cmd/options/jobspec_builder.hpp"

namespace sluice {

/// A parsed submission command line.
struct SubmissionLine {
    SubmitVerb verb;
    Cli cli;
    SubmitOptions options;
    std::vector<std::string> words;  // the job's command, or bulksubmit's command and inputs

    explicit SubmissionLine(SubmitVerb verb);
    /// An exit code when the command is over.
    std::optional<int> parse(int argc, char** argv);
};

/// This process's folder, environment, limits and files.
SubmitContext process_context();
/// Connects. Errors: text "Unable to connect to Flux: REASON".
Result<Handle> connect_for_submission();

struct SubmitRequest {
    std::string jobspec;  // as dump_json_spaced writes it
    int urgency = 16;
    int flags = 0;
};
/// Jobspec, urgency and flags of one job.
Result<SubmitRequest> build_submit_request(const SubmitOptions& options, SubmitVerb verb,
                                           const JobRequest& job, const SubmitContext& context);
/// Sends job-ingest.submit; `on_id` gets the job's id, or the server's refusal.
void send_submit(Handle& flux, const SubmitRequest& request,
                 std::function<void(Result<JobId>)> on_id);
/// Blocks for the id.
Result<JobId> submit_job(Handle& flux, const SubmitRequest& request);

struct SubmittedJob {
    Handle flux;
    JobId id;
};
/// Builds the request for `job` and submits it; nothing when --dry-run printed it instead.
Result<std::optional<SubmittedJob>> submit_or_print(const SubmissionLine& line,
                                                    const JobRequest& job);

/// "flux: ERROR: TEXT" on stderr, for the few errors that carry no command's name; exit code 1.
int plain_error(const std::string& text);
void plain_warning(const std::string& text);

}  // namespace sluice
