// flux job timeleft: whole seconds until a job, or this instance, comes to its end.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/rfc/fsd.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

double left_until(double expiration) {
    if (expiration <= 0) return std::numeric_limits<double>::infinity();
    return std::max(0.0, expiration - wall_clock_now());
}

/// `word`: the id as it was typed, for messages.
Result<double> job_time_left(Handle& flux, JobId id, const std::string& word) {
    const auto json = list_job_id(flux, id, {"expiration", "state"});
    if (!json && json.error().errnum() == ENOENT) return fail(ENOENT, "{}: no such jobid", word);
    if (!json) return json.error();
    JobRow job;
    job.json = *json;
    const std::int64_t state = job.integer("state");
    if (state < job_state::run) return fail(EINVAL, "job {} has not started", word);
    if (state != job_state::run) return 0.0;
    return left_until(job.real("expiration"));
}

Result<double> instance_time_left(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("resource.status"));
    const Json* expiration = find_path(reply, "R.execution.expiration");
    return left_until(expiration ? as_number(*expiration).value_or(0) : 0);
}

/// Whole seconds; some is left as long as it is not over.
void print_left(double left, bool human) {
    const double whole = left > 0 && left < 1 ? 1 : std::floor(left);
    if (human) fmt::print("{}\n", std::isinf(left) ? "infinity" : fsd_format(whole));
    // The C interface of the reference counts in unsigned int, whose maximum stands for no limit.
    else if (std::isinf(left))
        fmt::print("{}\n", std::numeric_limits<unsigned>::max());
    else
        fmt::print("{}\n", static_cast<std::uint64_t>(whole));
}

}  // namespace

int job_timeleft(int argc, char** argv) {
    Cli cli{"flux-job timeleft", style, "[OPTIONS] [ID]", "Print the seconds a job has left."};
    bool human = false;
    cli.flag("-H,--human", human, "print a duration with its unit");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("too many arguments");
    const char* own_job = std::getenv("FLUX_JOB_ID");
    const std::string word = !cli.words().empty() ? cli.words().front() : own_job ? own_job : "";
    std::optional<JobId> id;
    if (!word.empty()) {
        const auto parsed = jobid_argument(word, style);
        if (!parsed) return cli.error(parsed.error().text());
        id = *parsed;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto left = id ? job_time_left(*flux, *id, word) : instance_time_left(*flux);
    if (!left) return cli.error(left.error().text());
    print_left(*left, human);
    return 0;
}

}  // namespace sluice
