// flux job status: waits for jobs to end and exits with the largest of their exit codes.
#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/job/event_stream.hpp"
#include "cmd/job/exit_status.hpp"

namespace sluice {
namespace {

struct StatusOptions {
    int verbose = 0;
    int exception_exit_code = 1;
    bool json = false;
};

/// What is known about a job from its eventlog.
struct JobOutcome {
    std::string shown_id;
    JobId id;
    double submitted = 0, started = 0, ended = 0;
    std::optional<std::int64_t> wait_status;
    std::optional<JsonObject> exception;  // the first fatal one
    bool over = false;
    std::optional<Error> error;

    void on_event(const Event& event) {
        JsonReader in(event.context);
        if (event.name == "submit") submitted = event.timestamp;
        if (event.name == "alloc") started = event.timestamp;
        if (event.name == "clean") ended = event.timestamp;
        if (event.name == "finish") wait_status = in.integer_or("status", 0);
        if (event.name == "exception" && (!exception || severity_of(event.context) < severity()))
            exception = event.context;
    }

    /// Of the worst exception; 0 ended the job.
    std::int64_t severity() const { return severity_of(*exception); }
    bool failed() const { return exception && severity() == 0; }

    static std::int64_t severity_of(const JsonObject& exception) {
        return JsonReader{exception}.integer_or("severity", 1);
    }

    int exit_code(const StatusOptions& options) const {
        const int code = wait_status ? job_exit_code(*wait_status) : 0;
        return failed() ? std::max(code, options.exception_exit_code) : code;
    }
};

std::string exception_text(const JobOutcome& job) {
    JsonReader in(*job.exception);
    const std::string type = in.string_or("type", "");
    return fmt::format("exception type={} note={}", type, in.string_or("note", ""));
}

void report(const JobOutcome& job) {
    if (job.failed()) fmt::print(stderr, "flux-job: {}: {}\n", job.shown_id, exception_text(job));
    const std::string text = job.wait_status ? describe_job_end(*job.wait_status) : "";
    if (!text.empty())
        fmt::print(stderr, "flux-job: {}: {}\n", job.shown_id, text);
    else if (!job.failed())
        fmt::print(stderr, "flux-job: {}: exited with exit code 0\n", job.shown_id);
}

/// Job result as job-list numbers it: 1 completed, 2 failed, 4 canceled, 8 timed out.
int result_of(const JobOutcome& job) {
    if (!job.failed()) return job.wait_status.value_or(-1) == 0 ? 1 : 2;
    JsonReader in(*job.exception);
    const std::string type = in.string_or("type", "");
    if (type == "cancel") return 4;
    return type == "timeout" ? 8 : 2;
}

void print_json(const JobOutcome& job) {
    JsonObject object;
    object["id"] = job.id.value;
    object["t_submit"] = job.submitted;
    object["t_run"] = job.started;
    object["t_cleanup"] = job.ended;
    object["result"] = result_of(job);
    if (job.wait_status) object["waitstatus"] = *job.wait_status;
    object["exception_occurred"] = job.exception.has_value();
    if (job.exception) {
        JsonReader in(*job.exception);
        object["exception_type"] = in.string_or("type", "");
        object["exception_severity"] = in.integer_or("severity", 0);
        object["exception_note"] = in.string_or("note", "");
    }
    fmt::print("{}\n", dump_json(object));
}

void declare(Cli& cli, StatusOptions& options) {
    cli.count("-v,--verbose", options.verbose, "Say how each job ended");
    cli.option(
        "-e,--exception-exit-code=N",
        [&options](std::optional<std::string> value) -> Result<void> {
            const Result<Json> number = parse_json(value.value_or(""));
            const auto code = number ? as_integer(*number) : std::nullopt;
            if (!code || *code < 0 || *code > 255)
                return fail(EINVAL, "-e: invalid exit code '{}'; use 0 to 255", *value);
            options.exception_exit_code = static_cast<int>(*code);
            return {};
        },
        "Exit code of a job with an exception (1)");
    cli.flag("-j,--json", options.json, "Print how each job ended as JSON");
}

Result<std::deque<JobOutcome>> parse_jobs(const std::vector<std::string>& words) {
    std::deque<JobOutcome> jobs;
    for (const std::string& word : words) {
        SLUICE_TRY(const JobId id, jobid_argument(word, CliStyle::c_tool));
        jobs.push_back({.shown_id = word, .id = id});
    }
    return jobs;
}

}  // namespace

int job_status(int argc, char** argv) {
    StatusOptions options;
    Cli cli("flux-job status", CliStyle::c_tool, "[OPTIONS] ID...",
            "Wait for jobs to end; exit with the largest exit code.");
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("at least one job id is needed");
    Result<std::deque<JobOutcome>> jobs = parse_jobs(cli.words());
    if (!jobs) return cli.error(jobs.error().text());
    Result<Handle> flux = Handle::open();
    if (!flux) return cli.error("flux_open: " + flux.error().text());
    for (JobOutcome& job : *jobs)
        watch_events(*flux, job.id, {},
                     {.on_event = [&job](const Event& e) { job.on_event(e); },
                      .on_end =
                          [&job](Result<void> end) {
                              job.over = true;
                              if (!end) job.error = end.error();
                          }});
    int exit_code = 0;
    for (const JobOutcome& job : *jobs) {
        flux->run_until([&job] { return job.over; });
        if (!job.over) return cli.error("lost connection to Flux");
        if (job.error) {
            const bool unknown = job.error->errnum() == ENOENT;
            return cli.error(
                fmt::format("{}: {}", job.shown_id, unknown ? "No such job" : job.error->text()));
        }
        if (options.json) print_json(job);
        if (options.verbose > 0) report(job);
        exit_code = std::max(exit_code, job.exit_code(options));
    }
    return exit_code;
}

}  // namespace sluice
