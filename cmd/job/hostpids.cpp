// flux job hostpids: host and process id of each task, asked of the job's shell.
#include <fmt/format.h>

#include "base/proctable.hpp"
#include "base/rfc/idset.hpp"
#include "cmd/client.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

struct ShellAddress {
    std::string service;
    std::uint32_t leader = 0;
};

Result<void> check_active(Handle& flux, JobId id, const std::string& word) {
    const auto json = list_job_id(flux, id, {"state"});
    if (!json && json.error().errnum() == ENOENT) return fail(ENOENT, "{}: No such job", word);
    if (!json) return json.error();
    JobRow job;
    job.json = *json;
    if (job.integer("state") == job_state::inactive)
        return fail(EINVAL, "hostpids: job {} is inactive", word);
    return {};
}

/// Waits for the tasks to have started.
Result<ShellAddress> wait_for_shell(Handle& flux, JobId id, std::optional<double> timeout) {
    ShellAddress shell;
    bool started = false;
    const auto watched = watch_eventlog(
        flux, {id, "guest.exec.eventlog", true}, timeout, [&](const std::string& line) {
            const auto event = decode_event(line);
            if (!event) return Watch::go_on;
            if (event->name == "shell.init") {
                JsonReader in{event->context};
                shell.service = in.string_or("service", "");
                shell.leader = static_cast<std::uint32_t>(in.integer_or("leader-rank", 0));
            }
            started = event->name == "shell.start";
            return started ? Watch::stop : Watch::go_on;
        });
    if (started && !shell.service.empty()) return shell;
    if (!watched && watched.error().errnum() == ETIMEDOUT)
        return fail(ETIMEDOUT, "hostpids: timeout waiting for shell.start event");
    if (!watched) return watched.error().in("hostpids");
    return fail(ENOENT, "hostpids: the job ended before its tasks started");
}

Result<std::string> hostpids(Handle& flux, const ShellAddress& shell, const std::string& delimiter,
                             const std::optional<Idset>& ranks) {
    SLUICE_TRY(const JsonObject table,
               flux.call(shell.service + ".proctable", JsonObject{}, {.nodeid = shell.leader}));
    SLUICE_TRY(const auto tasks, decode_proctable(table));
    std::string out;
    for (const TaskProcess& task : tasks) {
        if (ranks && !ranks->contains(static_cast<std::uint32_t>(task.rank))) continue;
        out += fmt::format("{}{}:{}", out.empty() ? "" : delimiter, task.host, task.pid);
    }
    return out;
}

/// With \n and \t as the characters that they stand for.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        if (escape && text[i + 1] == 'n') out += '\n', ++i;
        else if (escape && text[i + 1] == 't') out += '\t', ++i;
        else out += text[i];
    }
    return out;
}

}  // namespace

int job_hostpids(int argc, char** argv) {
    Cli cli{"flux-job hostpids", style, "[OPTIONS] ID", "Print host:pid of the tasks of a job."};
    std::string delimiter = ",";
    std::string rank_list;
    std::optional<double> timeout;
    cli.option("-d,--delimiter=STR", delimiter, "text between the entries (,)");
    cli.option("-r,--ranks=IDSET", rank_list, "only these task ranks");
    cli.option("-t,--timeout=FSD", duration_into(timeout), "give up after this time");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("wants one job id");
    delimiter = unescaped(delimiter);
    const auto id = jobid_argument(cli.words().front(), style);
    if (!id) return cli.error(id.error().text());
    std::optional<Idset> ranks;
    if (!rank_list.empty() && rank_list != "all") {
        const auto parsed = Idset::parse(rank_list);
        if (!parsed) return cli.error("--ranks: " + parsed.error().text());
        ranks = *parsed;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    if (const auto active = check_active(*flux, *id, cli.words().front()); !active)
        return cli.error(active.error().text());
    const auto shell = wait_for_shell(*flux, *id, timeout);
    if (!shell) return cli.error(shell.error().text());
    const auto text = hostpids(*flux, *shell, delimiter, ranks);
    if (!text) return cli.error("hostpids: " + text.error().text());
    fmt::print("{}\n", *text);
    return 0;
}

}  // namespace sluice
