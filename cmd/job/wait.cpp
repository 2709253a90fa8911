// flux job wait: reaps jobs that were submitted with the waitable flag.
#include <fmt/format.h>

#include "base/rfc/fluid.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;
constexpr int nothing_to_wait_for = 2;

struct Reaped {
    JobId id;
    bool success = false;
    std::string reason;
};

/// Any job when there is no id. Errors: ECHILD when there is none to wait for.
Result<Reaped> reap(Handle& flux, std::optional<JobId> id) {
    JsonObject request;
    if (id)
        request["id"] = id->value;
    else
        request["id"] = -1;
    SLUICE_TRY(const JsonObject reply, flux.call("job-manager.wait", request));
    JsonReader in{reply};
    Reaped job;
    job.id = JobId{static_cast<std::uint64_t>(in.integer("id"))};
    job.success = in.boolean("success");
    job.reason = in.string("errstr");
    if (!in) return in.error();
    return job;
}

int wait_error(const Cli& cli, const Error& error) {
    cli.error(error.text());
    return error.errnum() == ECHILD ? nothing_to_wait_for : 1;
}

int wait_all(const Cli& cli, Handle& flux, bool verbose) {
    int code = 0;
    for (;;) {
        const auto job = reap(flux, std::nullopt);
        if (!job) return job.error().errnum() == ECHILD ? code : wait_error(cli, job.error());
        if (!job->success) {
            fmt::print(stderr, "{}: {}\n", to_f58(job->id), job->reason);
            code = 1;
        } else if (verbose) {
            fmt::print(stderr, "{}: job completed successfully\n", to_f58(job->id));
        }
    }
}

}  // namespace

int job_wait(int argc, char** argv) {
    Cli cli{"flux-job wait", style, "[OPTIONS] [ID]", "Wait for waitable jobs to end."};
    bool all = false;
    bool verbose = false;
    cli.flag("-a,--all", all, "wait for all waitable jobs");
    cli.flag("-v,--verbose", verbose, "with --all, also name the jobs that succeed");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > (all ? 0u : 1u)) return cli.usage_error("too many arguments");
    std::optional<JobId> id;
    if (!cli.words().empty()) {
        const auto parsed = jobid_argument(cli.words().front(), style);
        if (!parsed) return cli.error(parsed.error().text());
        id = *parsed;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    if (all) return wait_all(cli, *flux, verbose);
    const auto job = reap(*flux, id);
    if (!job) return wait_error(cli, job.error());
    if (!id) fmt::print("{}\n", to_f58(job->id));
    return job->success ? 0 : cli.error(job->reason);
}

}  // namespace sluice
