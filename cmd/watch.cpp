// flux watch: copies the output of jobs until they have ended.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/datetime.hpp"
#include "cmd/job/follow.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"
#include "cmd/progress.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

struct WatchOptions {
    bool active = false, all = false, label = false, progress = false, rate = false;
    int verbose = 0;
    std::int64_t count = 0;
    std::optional<std::string> filter, since;
    bool selects() const { return active || all || filter || since; }
};

void declare(Cli& cli, WatchOptions& options) {
    cli.flag("-a,--active", options.active, "watch all active jobs");
    cli.flag("-A,--all", options.all, "watch all jobs, inactive ones too");
    cli.option("-c,--count=N", integer_into(options.count), "watch at most N jobs (0: all)");
    cli.option("-f,--filter=STATE|RESULT,...", options.filter, "watch jobs in these states");
    cli.option("--since=WHEN", options.since, "watch jobs that were active since WHEN");
    cli.flag("--progress", options.progress, "show a progress line");
    cli.flag("--jps", options.rate, "with --progress, show jobs per second");
    cli.flag("-l,--label-io", options.label, "put the task's rank before each line");
    cli.count("-v,--verbose", options.verbose, "print events of the jobs");
}

Result<double> parse_since(const std::string& text) {
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    if (!text.empty() && !*end && text.front() != '+' && text.front() != '-') return seconds;
    return parse_datetime(text, wall_clock_now());
}

Result<std::vector<JobId>> selected_jobs(Handle& flux, const WatchOptions& options, double since) {
    JobFilter filter;
    filter.user = UserId{::getuid()};
    filter.states = {job_state::pending | job_state::running, 0};
    if (options.all || options.since)
        filter.states = {job_state::pending | job_state::running | job_state::inactive, 0};
    if (options.filter) {
        SLUICE_TRY(filter.states, parse_state_filter(*options.filter));
    }
    JobQuery query;
    query.entries_max = options.count;
    query.attributes = {"state", "result", "t_submit"};
    query.since = since;
    query.constraint = filter_constraint(filter);
    SLUICE_TRY(auto jobs, list_jobs(flux, query));
    std::vector<JobId> ids;
    for (const JobRow& row : make_job_rows(std::move(jobs), 0)) ids.push_back(row.id());
    return ids;
}

Result<std::vector<JobId>> named_jobs(Handle& flux, const std::vector<std::string>& words) {
    std::vector<JobId> ids;
    for (const std::string& word : words) {
        SLUICE_TRY(const JobId id, jobid_argument(word, style));
        const auto known = list_job_id(flux, id, {"state", "result", "t_submit"});
        if (!known && known.error().errnum() == ENOENT)
            return fail(ENOENT, "JobID {} unknown", word);
        if (!known) return known.error();
        ids.push_back(id);
    }
    return ids;
}

/// Follows all jobs at once; the largest exit code.
int follow_all(Handle& flux, const std::vector<JobId>& ids, const WatchOptions& options) {
    std::optional<Progress> progress;
    if (options.progress && stdout_is_terminal())
        progress.emplace(ids.size(), options.rate);
    else if (options.progress)
        fmt::print(stderr,
                   "flux-watch: WARNING: stdout is not a tty. Ignoring --progress option\n");
    std::size_t ended = 0;
    int code = 0;
    for (const JobId id : ids) {
        FollowOptions follow;
        follow.output = true;
        follow.label = options.label;
        follow.verbose = options.verbose;
        if (progress) {
            progress->submitted(true);
            follow.on_start = [&progress] { progress->started(); };
        }
        follow_job(flux, id, std::move(follow), [&](int job_code) {
            ++ended;
            code = std::max(code, job_code);
            if (progress) progress->ended(job_code == 0);
        });
    }
    if (!flux.run_until([&] { return ended == ids.size(); })) code = std::max(code, 1);
    if (progress) progress->end();
    return code;
}

}  // namespace

int cmd_watch(int argc, char** argv) {
    Cli cli{"flux-watch", style, "[-h] [OPTIONS] [JOBID]...", "Copy the output of jobs."};
    WatchOptions options;
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty() && !options.selects())
        return cli.error("At least one job selection option is required");
    double since = 0;
    if (options.since) {
        const auto time = parse_since(*options.since);
        if (!time) return cli.usage_error("argument --since: " + time.error().text());
        since = *time;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto ids =
        cli.words().empty() ? selected_jobs(*flux, options, since) : named_jobs(*flux, cli.words());
    if (!ids) return cli.error(ids.error().text());
    if (ids->empty()) {
        fmt::print(stderr, "flux-watch: INFO: No matching jobs\n");
        return 0;
    }
    return follow_all(*flux, *ids, options);
}

}  // namespace sluice
