// flux jobs: lists jobs by the output-format language or as JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/rfc/eventlog.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/datetime.hpp"
#include "cmd/format/job_formats.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/job_query.hpp"
#include "cmd/jobs_tree.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

Result<double> parse_since(const std::string& text, double now) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    double since = number;
    if (*end || text.empty() || text.front() == '+' || text.front() == '-') {
        const auto time = parse_datetime(text, now);
        if (!time) return fail(EINVAL, "could not convert string to float: '{}'", text);
        since = *time;
    }
    if (since > now) return fail(EINVAL, "--since={}: lies in the future; give a past time", text);
    return since;
}

void declare(Cli& cli, JobsOptions& options) {
    cli.flag("-a", options.all_states, "list jobs in all states");
    cli.flag("-A", options.all_users, "list jobs of all users");
    cli.flag("-n,--no-header", options.no_header, "leave out the header line");
    cli.alias("--suppress-header");
    cli.option("-u,--user=USER", options.user, "list jobs of USER, or of all users");
    cli.option("-i,--include=HOSTS|RANKS", options.include, "list jobs that ran on these");
    cli.option("--name=NAME", options.name, "list jobs of this name");
    cli.option("-q,--queue=QUEUE,...", options.queues, "list jobs of these queues");
    cli.option("-c,--count=N", integer_into(options.count), "list at most N jobs (1000; 0: all)");
    cli.option("--since=WHEN", options.since, "list jobs that were active since WHEN");
    cli.option("-f,--filter=STATE|RESULT,...", options.filter, "list jobs in these states");
    cli.option("-o,--format=FORMAT", options.format,
               "output format: a name, a format string, or help");
    cli.option("--sort=KEY,...", options.sort, "sort by these fields, descending after '-'");
    cli.option(
        "-w,--width[=N]",
        [&options](auto value) -> Result<void> {
            options.width = terminal_width();
            if (!value) return {};
            SLUICE_TRY(const std::int64_t width, parse_integer(value.value_or("")));
            options.width = width;
            return {};
        },
        "cut lines at N columns, or at those of the terminal");
    cli.flag("--json", options.json, "print jobs as JSON");
    cli.option("--color[=WHEN]", color_into(options.color), "colour rows: never, always or auto");
    cli.flag("--stats", options.stats, "print job statistics above the list");
    cli.flag("--stats-only", options.stats_only, "print job statistics only");
    cli.flag("-R,--recursive", options.recursive, "also list jobs of the instances among them");
    cli.flag("--recurse-all", options.recurse_all, "with -R, also enter other users' instances");
    cli.option("-L,--level=N", integer_into(options.level), "with -R, descend at most N levels");
    cli.option("--threads=N", integer_into(options.threads), "");
    cli.flag("--from-stdin", options.from_stdin, "");
}

/// argparse lets the optional value of these options be the next word; getopt does not.
std::vector<std::string> join_optional_values(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) {
        std::string word = argv[i];
        const std::string next = i + 1 < argc ? argv[i + 1] : "";
        const bool number = !next.empty() && next.find_first_not_of("0123456789") == next.npos;
        const bool when = next == "always" || next == "never" || next == "auto";
        if (word == "-w" && number)
            word += next, ++i;
        else if ((word == "--width" && number) || (word == "--color" && when))
            word += "=" + next, ++i;
        words.push_back(std::move(word));
    }
    return words;
}

Result<JobFilter> filter_of(const JobsOptions& options) {
    JobFilter filter;
    filter.user = UserId{::getuid()};
    if (options.user) {
        SLUICE_TRY(filter.user, find_user(*options.user));
    } else if (options.all_users || !options.include.empty()) {
        filter.user = userid_unknown;
    }
    if (*filter.user == userid_unknown) filter.user.reset();
    if (!options.name.empty()) filter.name = options.name;
    for (const std::string& list : options.queues)
        for (std::string& queue : split_words(list)) filter.queues.push_back(std::move(queue));
    filter.include = options.include;
    if (options.filter) {
        SLUICE_TRY(filter.states, parse_state_filter(*options.filter));
    } else if (options.all_states || options.since) {
        filter.states = {job_state::pending | job_state::running | job_state::inactive, 0};
    }
    return filter;
}

Result<JobsPlan> make_plan(const JobsOptions& options, const std::string& format_text, double now) {
    auto format = OutputFormat::parse(format_text, job_heading);
    if (!format && format.error().text().starts_with("Invalid sort key")) return format.error();
    if (!format) return format.error().in("Error in user format");
    JobsPlan plan{.format = std::move(*format)};
    if (options.sort) SLUICE_CHECK(plan.format.sort_by(*options.sort, job_heading));
    plan.format.sort_instead("id", "id.dec");
    SLUICE_TRY(plan.filter, filter_of(options));
    if (options.since) {
        SLUICE_TRY(plan.since, parse_since(*options.since, now));
    }
    std::vector<std::string> fields = plan.format.fields();
    plan.attributes = job_attributes(fields);
    const auto need = [&](std::string_view attribute) {
        if (std::ranges::find(plan.attributes, attribute) == plan.attributes.end())
            plan.attributes.emplace_back(attribute);
    };
    for (const std::string_view attribute : {"result", "annotations", "userid", "state"})
        need(attribute);
    if (options.json) need("all");
    plan.tells_why = options.format.find('{') == std::string::npos &&
                     std::ranges::count(fields, "contextual_info") > 0;
    plan.instances = std::ranges::any_of(
        fields, [](const std::string& field) { return field.starts_with("instance."); });
    return plan;
}

void warn(std::string_view text) {
    fmt::print(stderr, "flux-jobs: WARNING: {}\n", text);
}

Result<std::vector<JobRow>> rows_from_stdin(double now) {
    std::vector<JsonObject> jobs;
    for (const std::string& line : split_words(read_stdin(), '\n')) {
        SLUICE_TRY(JsonObject job, parse_json_object(line));
        jobs.push_back(std::move(job));
    }
    return make_job_rows(std::move(jobs), now);
}

std::string jobs_json(const std::vector<JobRow>& rows) {
    JsonArray array;
    for (const JobRow& row : rows) array.emplace_back(job_to_json(row));
    JsonObject object;
    object["jobs"] = std::move(array);
    return dump_json_spaced(Json(std::move(object))) + "\n";
}

void warn_of_ignored(const JobsOptions& options, const std::vector<std::string>& ids) {
    if (options.filter && options.all_states && !options.recursive)
        warn("Both -a and --filter specified, ignoring -a");
    const bool filters = options.all_states || options.all_users || options.user ||
                         options.filter || options.since || !options.name.empty() ||
                         !options.queues.empty() || !options.include.empty();
    if (!ids.empty() && filters) warn("Filtering options ignored with jobid list");
}

int run_jobs(const Cli& cli, const JobsOptions& options, const JobsPlan& plan, double now) {
    if (options.from_stdin) {
        auto rows = rows_from_stdin(now);
        if (!rows) return cli.error(rows.error().text());
        if (options.json) return write_stdout(jobs_json(*rows)), 0;
        JobsTable table{plan, options};
        for (const JobRow& row : *rows) table.add(row);
        write_stdout(table.text());
        return 0;
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JobsLister lister{options, plan, now};
    const auto code = lister.run(*flux, cli.words());
    return code ? *code : cli.error(code.error().text());
}

}  // namespace

int cmd_jobs(int argc, char** argv) {
    Cli cli{"flux-jobs", style, "[-h] [OPTIONS] [JOBID]...", "List jobs."};
    JobsOptions options;
    declare(cli, options);
    std::vector<std::string> words = join_optional_values(argc, argv);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (const auto code = cli.parse(static_cast<int>(words.size()), pointers.data())) return *code;
    if (options.json && (options.stats || options.stats_only))
        return cli.error("--json incompatible with --stats or --stats-only");
    const auto choice = choose_user_format(jobs_formats(), options.format);
    if (!choice) return cli.error(choice.error().text());
    if (!choice->text.empty()) return write_stdout(choice->text), 0;
    const double now = wall_clock_now();
    auto plan = make_plan(options, choice->format, now);
    if (!plan) return cli.error(plan.error().text());
    const auto ids = jobid_words(cli.words());
    if (!ids) return cli.usage_error(ids.error().text());
    warn_of_ignored(options, cli.words());
    return run_jobs(cli, options, *plan, now);
}

}  // namespace sluice
