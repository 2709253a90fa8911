// flux cancel: raises exceptions of type cancel, on job ids or on all jobs of a user and states.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

struct CancelOptions {
    bool all = false, dry_run = false, quiet = false;
    std::optional<std::string> user;
    std::vector<std::string> states;
    std::string message;
    bool selects() const { return all || user || !states.empty(); }
};

std::string count_of_jobs(std::int64_t n) {
    return fmt::format("{} job{}", n, n == 1 ? "" : "s");
}

Result<void> cancel_id(Handle& flux, JobId id, const std::string& message) {
    JsonObject request;
    request["id"] = id.value;
    request["type"] = "cancel";
    request["severity"] = 0;
    if (!message.empty()) request["note"] = message;
    SLUICE_CHECK(flux.call("job-manager.raise", request));
    return {};
}

int cancel_ids(const Cli& cli, Handle& flux, const CancelOptions& options) {
    std::vector<JobId> ids;
    for (const std::string& word : cli.words()) {
        const auto id = jobid_argument(word, style);
        if (!id) return cli.error(id.error().text());
        ids.push_back(*id);
    }
    if (options.dry_run) {
        fmt::print(stderr, "flux-cancel: Would cancel {}\n",
                   count_of_jobs(static_cast<std::int64_t>(ids.size())));
        return 0;
    }
    int code = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto done = cancel_id(flux, ids[i], options.message);
        if (!done) code = cli.error(fmt::format("{}: {}", cli.words()[i], done.error().text()));
    }
    return code;
}

int cancel_selected(const Cli& cli, Handle& flux, const CancelOptions& options) {
    UserId user{::getuid()};
    if (options.user) {
        const auto found = find_user(*options.user);
        if (!found) return cli.error(found.error().text());
        user = *found;
    }
    std::uint32_t states = options.states.empty() ? job_state::active : 0;
    for (const std::string& list : options.states) {
        const auto mask = parse_active_states(list);
        if (!mask) return cli.error(mask.error().text());
        states |= *mask;
    }
    JsonObject request;
    request["dry_run"] = options.dry_run;
    request["userid"] = user.value;
    request["states"] = states;
    request["severity"] = 0;
    request["type"] = "cancel";
    if (!options.message.empty()) request["note"] = options.message;
    const auto reply = flux.call("job-manager.raiseall", request);
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    const auto count = in.integer("count");
    const auto errors = in.integer("errors");
    if (!in) return cli.error(in.error().text());
    if (options.dry_run && count > 0)
        fmt::print(stderr, "flux-cancel: Would cancel {}\n", count_of_jobs(count));
    else if (count == 0 && !options.quiet)
        fmt::print(stderr, "flux-cancel: Matched 0 jobs\n");
    else if (!options.quiet)
        fmt::print(stderr, "flux-cancel: Canceled {} ({} error{})\n", count_of_jobs(count), errors,
                   errors == 1 ? "" : "s");
    return errors > 0 ? 1 : 0;
}

}  // namespace

int cmd_cancel(int argc, char** argv) {
    Cli cli{"flux-cancel", style, "[-h] [OPTIONS] [JOBID]...", "Cancel jobs."};
    CancelOptions options;
    cli.flag("--all", options.all, "target all jobs of the user");
    cli.flag("-n,--dry-run", options.dry_run, "only say how many jobs would be canceled");
    cli.flag("-q,--quiet", options.quiet, "suppress the summary");
    cli.option("-u,--user=USER", options.user, "target jobs of USER, or of all users");
    cli.option("-S,--states=STATES", options.states,
               "target jobs in these states (default: pending,running)");
    cli.alias("--state");
    cli.option("-m,--message=NOTE", options.message, "note for the exception");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty() && options.selects())
        return cli.error("Do not specify a list of jobids with --all,--user,--states options");
    if (cli.words().empty() && !options.selects()) return cli.error("No target jobs were provided");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    return options.selects() ? cancel_selected(cli, *flux, options)
                             : cancel_ids(cli, *flux, options);
}

}  // namespace sluice
