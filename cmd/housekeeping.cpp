// flux housekeeping: the scripts that run on nodes after their jobs, and signals to them.
#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <map>

#include "base/rfc/fluid.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/table_output.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

FormatCatalog list_formats() {
    return {"flux-housekeeping",
            "flux-housekeeping",
            "",
            "FLUX_HOUSEKEEPING_LIST_FORMAT_DEFAULT",
            {{"default", "Default flux-housekeeping format string",
              "{id.f58:>12} {nnodes:>6} {pending.nnodes:>7} {runtime!F:>8} {nodelist}"},
             {"pending", "flux-housekeeping format string including active nodes only",
              "{id.f58:>12} {pending.nnodes:>7} {runtime!F:>8} {pending.nodelist}"}}};
}

/// The nodes of one job that are in housekeeping.
struct Row {
    JobId id;
    double t_start = 0, runtime = 0;
    Idset pending, allocated;
    const Hostlist* hosts = nullptr;
};

std::optional<std::string> heading_of(std::string_view field) {
    static const std::map<std::string_view, std::string_view> headings{
        {"t_start", "T_START"},
        {"runtime", "RUNTIME"},
        {"ranks", "RANKS"},
        {"nodelist", "NODELIST"},
        {"nnodes", "NNODES"},
        {"allocated.ranks", "RANKS"},
        {"allocated.nodelist", "NODELIST"},
        {"allocated.nnodes", "NNODES"},
        {"pending.ranks", "ACTIVE_RANKS"},
        {"pending.nodelist", "ACTIVE_NODES"},
        {"pending.nnodes", "#ACTIVE"},
    };
    if (field == "id" || (field.starts_with("id.") && fluid_form(field.substr(3)))) return "JOBID";
    const auto found = headings.find(field);
    if (found == headings.end()) return std::nullopt;
    return std::string{found->second};
}

FieldValue set_field(const Idset& ranks, const Hostlist& hosts, std::string_view what) {
    if (what == "ranks") return FieldValue{ranks.to_string()};
    if (what == "nnodes") return FieldValue{static_cast<std::int64_t>(ranks.size())};
    Hostlist named;
    for (const std::uint32_t rank : ranks)
        if (rank < hosts.size()) named.append(hosts[rank]);
    return FieldValue{named.to_string()};
}

FieldValue field_of(const Row& row, std::string_view field) {
    if (field == "id") return FieldValue{to_f58(row.id)};
    if (field.starts_with("id."))
        return FieldValue{fluid_encode(row.id, *fluid_form(field.substr(3)))};
    if (field == "t_start") return FieldValue{row.t_start};
    if (field == "runtime") return FieldValue{row.runtime};
    constexpr std::string_view pending = "pending.", allocated = "allocated.";
    if (field.starts_with(pending))
        return set_field(row.pending, *row.hosts, field.substr(pending.size()));
    if (field.starts_with(allocated)) field.remove_prefix(allocated.size());
    return set_field(row.allocated, *row.hosts, field);
}

/// Ranks by number or by host name.
Result<Idset> ranks_of(const std::string& text, const Hostlist& hosts) {
    if (const auto ranks = Idset::parse(text)) return *ranks;
    const auto names = Hostlist::parse(text);
    if (!names) return fail(EINVAL, "{}: must be a valid Idset or Hostlist", text);
    Idset ranks;
    for (const std::string& name : names->hosts()) {
        if (!hosts.contains(name))
            return fail(EINVAL, "didn't find {} in instance hostlist", name);
        for (std::uint32_t rank = 0; rank < hosts.size(); ++rank)
            if (hosts[rank] == name) ranks.insert(rank);
    }
    return ranks;
}

Result<std::vector<Row>> load_rows(Handle& flux, const Hostlist& hosts,
                                   const std::optional<Idset>& only) {
    SLUICE_TRY(const JsonObject stats, flux.call("job-manager.stats-get"));
    std::vector<Row> rows;
    const Json* running = find_path(stats, "housekeeping.running");
    if (!running || !running->is_object()) return rows;
    for (const auto& [id, value] : running->as_object()) {
        if (!value.is_object()) return fail(EPROTO, "housekeeping: bad answer");
        JsonReader in{value.as_object()};
        Row row{.t_start = in.number("t_start"), .hosts = &hosts};
        const std::string pending = in.string("pending"), allocated = in.string("allocated");
        if (!in) return in.error();
        SLUICE_TRY(row.id, fluid_decode(std::string_view{id}));
        SLUICE_TRY(row.pending, Idset::parse(pending));
        SLUICE_TRY(row.allocated, Idset::parse(allocated));
        row.runtime = wall_clock_now() - row.t_start;
        if (only) {
            row.pending = row.pending & *only;
            row.allocated = row.allocated & *only;
        }
        if (!row.allocated.empty()) rows.push_back(std::move(row));
    }
    return rows;
}

int cmd_list(int argc, char** argv) {
    Cli cli{"flux-housekeeping list", style, "[-h] [-i HOSTS|RANKS] [-n] [-o FORMAT]",
            "List jobs whose nodes are in housekeeping."};
    std::string include;
    TableOutput table;
    cli.option("-i,--include=HOSTS|RANKS", include, "only these hosts or ranks");
    table.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    if (const auto code = table.choose(cli, list_formats(), heading_of)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto hosts = instance_hosts(*flux);
    if (!hosts) return cli.error(hosts.error().text());
    std::optional<Idset> only;
    if (!include.empty()) {
        const auto ranks = ranks_of(include, *hosts);
        if (!ranks) return cli.error("--include: " + ranks.error().text());
        only = *ranks;
    }
    const auto found = load_rows(*flux, *hosts, only);
    if (!found) return cli.error(found.error().text());
    table.print(*found, field_of);
    return 0;
}

int cmd_kill(int argc, char** argv) {
    Cli cli{"flux-housekeeping kill", style,
            "[-h] [-s SIGNUM] [-t RANKS|HOSTS] [-j JOBID] [--all]",
            "Send a signal to housekeeping scripts."};
    std::int64_t signum = SIGTERM;
    std::string targets, job;
    bool all = false;
    cli.option("-s,--signal=SIGNUM", integer_into(signum), "signal number (15)");
    cli.option("-t,--targets=RANKS|HOSTS", targets, "only on these ranks or hosts");
    cli.option("-j,--jobid=JOBID", job, "only of this job");
    cli.flag("--all", all, "of all jobs");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (job.empty() && targets.empty() && !all)
        return cli.error("specify at least one of --targets, --jobid, or --all");
    if (all && !job.empty()) return cli.error("do not specify --jobid with --all");
    JsonObject request{{"signum", signum}};
    if (!job.empty()) {
        const auto id = jobid_argument(job, style);
        if (!id) return cli.usage_error("argument -j/--jobid: " + id.error().text());
        request["jobid"] = id->value;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    if (!targets.empty()) {
        const auto hosts = instance_hosts(*flux);
        if (!hosts) return cli.error(hosts.error().text());
        const auto ranks = ranks_of(targets, *hosts);
        if (!ranks) return cli.error("--targets: " + ranks.error().text());
        request["ranks"] = ranks->to_string();
    }
    const auto done = flux->call("job-manager.housekeeping-kill", request);
    return done ? 0 : cli.error(done.error().text());
}

constexpr Command commands[] = {
    {"list", cmd_list, "List jobs whose nodes are in housekeeping"},
    {"kill", cmd_kill, "Send a signal to housekeeping scripts"},
};

}  // namespace

int cmd_housekeeping(int argc, char** argv) {
    return run_subcommand("flux-housekeeping", commands, argc, argv);
}

}  // namespace sluice
