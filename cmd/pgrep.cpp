// flux pgrep and flux pkill: list or cancel the jobs that an expression matches.
#include <fmt/format.h>
#include <unistd.h>

#include "base/rfc/eventlog.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/job_formats.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_expression.hpp"
#include "cmd/options/job_filter.hpp"
#include "cmd/format/table.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;
constexpr int bad_expression = 2;

struct PgrepOptions {
    bool all_states = false, all_users = false, no_header = false, wait = false;
    std::optional<std::string> user, filter;
    std::vector<std::string> queues;
    std::string format = "default";
    std::int64_t count = 99999, entries_max = 1000;
};

void declare_selection(Cli& cli, PgrepOptions& options) {
    cli.flag("-a", options.all_states, "match jobs in all states");
    cli.flag("-A", options.all_users, "match jobs of all users");
    cli.option("-u,--user=USER", options.user, "match jobs of USER, or of all users");
    cli.option("-f,--filter=STATE|RESULT,...", options.filter, "match jobs in these states");
    cli.option("-q,--queue=QUEUE,...", options.queues, "match jobs of these queues");
    cli.option("-c,--count=N", integer_into(options.count), "stop after N matches");
    cli.option("--max-entries=N", integer_into(options.entries_max), "look at N jobs (1000)");
}

Result<JobFilter> filter_of(const PgrepOptions& options) {
    JobFilter filter;
    filter.user = UserId{::getuid()};
    if (options.user) {
        SLUICE_TRY(filter.user, find_user(*options.user));
    }
    if (options.all_users || *filter.user == userid_unknown) filter.user.reset();
    for (const std::string& list : options.queues)
        for (std::string& queue : split_words(list)) filter.queues.push_back(std::move(queue));
    if (options.all_states)
        filter.states = {job_state::pending | job_state::running | job_state::inactive, 0};
    if (options.filter) {
        SLUICE_TRY(filter.states, parse_state_filter(*options.filter));
    }
    return filter;
}

Result<std::vector<JobRow>> matching_jobs(Handle& flux, const PgrepOptions& options,
                                          const JobFilter& filter, const JobPredicate& matches) {
    JobQuery query;
    query.entries_max = options.entries_max;
    query.attributes = {"all"};
    query.constraint = filter_constraint(filter);
    SLUICE_TRY(auto jobs, list_jobs(flux, query));
    auto rows = make_job_rows(std::move(jobs), wall_clock_now());
    std::erase_if(rows, [&](const JobRow& row) { return !matches(row); });
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(options.count, 0));
    if (rows.size() > count) rows.erase(rows.begin() + options.count, rows.end());
    return rows;
}

void print_rows(const OutputFormat& format, const std::vector<JobRow>& rows, bool header) {
    Table table{format, {.header = header}};
    for (const JobRow& row : rows)
        table.add([&row](std::string_view field) { return job_field(row, field); });
    write_stdout(table.text());
}

/// Cancels the jobs; the number of failures is added to `errors`.
void cancel_rows(const Cli& cli, Handle& flux, const std::vector<JobRow>& rows,
                 std::size_t& errors) {
    for (const JobRow& row : rows) {
        JsonObject request;
        request["id"] = row.id().value;
        request["type"] = "cancel";
        request["severity"] = 0;
        const auto reply = flux.call("job-manager.raise", request);
        if (reply) continue;
        ++errors;
        cli.error(fmt::format("{}: {}", plain_text(job_field(row, "id")), reply.error().text()));
    }
}

Result<void> wait_for_inactive(Handle& flux, const std::vector<JobRow>& rows) {
    for (const JobRow& row : rows) {
        JsonObject request;
        request["id"] = row.id().value;
        request["attrs"] = JsonArray{Json("state")};
        request["state"] = job_state::inactive;
        SLUICE_CHECK(flux.call("job-list.list-id", request));
    }
    return {};
}

struct Selection {
    JobFilter filter;
    JobPredicate matches;
};

/// What the command line selects; an exit code after printing what is wrong with it.
std::variant<Selection, int> select(const Cli& cli, const PgrepOptions& options) {
    if (cli.words().empty())
        return cli.usage_error("the following arguments are required: EXPRESSION");
    auto matches = parse_job_expression(cli.words());
    if (!matches) {
        cli.error("expression error: " + matches.error().text());
        return bad_expression;
    }
    auto filter = filter_of(options);
    if (!filter) return cli.error(filter.error().text());
    return Selection{std::move(*filter), std::move(*matches)};
}

/// Bare ids are for scripts; any other format has a header.
bool wants_bare_ids(const PgrepOptions& options) {
    const char* chosen = std::getenv("FLUX_PGREP_FORMAT_DEFAULT");
    return options.format == "default" && !(chosen && *chosen);
}

}  // namespace

int cmd_pgrep(int argc, char** argv) {
    Cli cli{"flux-pgrep", style, "[-h] [OPTIONS] EXPRESSION...", "List jobs that match."};
    PgrepOptions options;
    declare_selection(cli, options);
    cli.flag("-n,--no-header", options.no_header, "leave out the header line");
    cli.option("-o,--format=FORMAT", options.format,
               "output format: a name, a format string, or help");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const bool bare = wants_bare_ids(options);
    const auto choice = choose_user_format(pgrep_formats(), options.format);
    if (!choice) return cli.error(choice.error().text());
    if (!choice->text.empty()) return write_stdout(choice->text), 0;
    const auto format = OutputFormat::parse(choice->format, job_heading);
    if (!format) return cli.error("Error in user format: " + format.error().text());
    const auto selected = select(cli, options);
    if (const int* code = std::get_if<int>(&selected)) return *code;
    const auto& selection = std::get<Selection>(selected);
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto rows = matching_jobs(*flux, options, selection.filter, selection.matches);
    if (!rows) return cli.error(rows.error().text());
    if (rows->empty()) return 1;
    print_rows(*format, *rows, !options.no_header && !bare);
    return 0;
}

int cmd_pkill(int argc, char** argv) {
    Cli cli{"flux-pkill", style, "[-h] [OPTIONS] EXPRESSION...", "Cancel jobs that match."};
    PgrepOptions options;
    declare_selection(cli, options);
    cli.flag("--wait", options.wait, "wait until the canceled jobs have ended");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto selected = select(cli, options);
    if (const int* code = std::get_if<int>(&selected)) return *code;
    const auto& selection = std::get<Selection>(selected);
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto rows = matching_jobs(*flux, options, selection.filter, selection.matches);
    if (!rows) return cli.error(rows.error().text());
    if (rows->empty()) return 1;
    std::size_t errors = 0;
    cancel_rows(cli, *flux, *rows, errors);
    const std::size_t count = rows->size() - errors;
    fmt::print(stderr, "flux-pkill: INFO: Canceled {} job{}\n", count, count == 1 ? "" : "s");
    if (options.wait)
        if (const auto waited = wait_for_inactive(*flux, *rows); !waited)
            return cli.error(waited.error().text());
    return errors > 0 ? 1 : 0;
}

}  // namespace sluice
