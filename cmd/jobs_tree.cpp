#include "cmd/jobs_tree.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/rfc/fluid.hpp"
#include "cmd/client.hpp"

namespace sluice {

namespace {

std::string_view colour_of(const JobRow& row) {
    switch (row.integer("result")) {
        case job_result::completed:
            return "\033[01;32m";
        case job_result::failed:
        case job_result::timeout:
            return "\033[01;31m";
        case job_result::canceled:
            return "\033[37m";
        default:
            return job_uri(row).empty() ? "" : "\033[01;34m";
    }
}

TableOptions table_options(const JobsOptions& options) {
    TableOptions table{.header = !options.no_header};
    if (options.width > 0) table.width = static_cast<std::size_t>(options.width);
    return table;
}

}  // namespace

std::int64_t terminal_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) return -1;
    return size.ws_col;
}

JobsTable::JobsTable(const JobsPlan& plan, const JobsOptions& options)
    : table_(plan.format, table_options(options)), coloured_(use_color(options.color)) {}

void JobsTable::add(const JobRow& row) {
    const auto values = [&row](std::string_view field) { return job_field(row, field); };
    table_.add(values, coloured_ ? colour_of(row) : "");
}

std::string stats_line(const JsonObject& stats, bool purged) {
    JsonReader in{stats};
    JsonReader states{in.object("job_states")};
    const auto running = states.integer_or("run", 0) + states.integer_or("cleanup", 0);
    const auto pending = states.integer_or("depend", 0) + states.integer_or("priority", 0) +
                         states.integer_or("sched", 0);
    const auto failed =
        in.integer_or("failed", 0) + in.integer_or("canceled", 0) + in.integer_or("timeout", 0);
    std::string line = fmt::format("{} running, {} completed, {} failed, {} pending", running,
                                   in.integer_or("successful", 0), failed, pending);
    if (purged) line += fmt::format(", {} inactive purged", in.integer_or("inactive_purged", 0));
    return line + "\n";
}

JobQuery JobsLister::query() const {
    JobQuery query;
    // One more than wanted tells whether the output is truncated.
    query.entries_max = options_.count > 0 ? options_.count + 1 : 0;
    query.attributes = plan_.attributes;
    query.since = plan_.since;
    query.constraint = filter_constraint(plan_.filter);
    return query;
}

/// Takes away what is more than wanted of `rows` after `before` others.
void JobsLister::truncate(std::vector<JobRow>& rows, std::size_t before) const {
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(options_.count, 0));
    if (wanted == 0 || before + rows.size() <= wanted) return;
    fmt::print(stderr,
               "warning: output truncated at {} jobs.\n"
               "Use --count to increase returned results or use filters to alter results.\n",
               wanted);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(wanted - before), rows.end());
}

void JobsLister::add(Handle& flux, std::vector<JobRow>& rows, int level, JobsTable& table,
                     std::vector<Instance>& instances) const {
    if (plan_.tells_why) explain_waits(flux, rows);
    if (plan_.instances) load_instance_summaries(rows);
    for (const JobRow& row : rows) {
        table.add(row);
        if (enters(row, level)) instances.push_back({row.id(), job_uri(row)});
    }
}

Result<JobsLister::Listing> JobsLister::list(Handle& flux, int level) const {
    JobListing listing{flux, query(), now_};
    JobsTable table{plan_, options_};
    Listing out;
    while (true) {
        SLUICE_TRY(JobBatch batch, listing.next());
        if (batch.rows.empty()) break;
        truncate(batch.rows, table.size());
        add(flux, batch.rows, level, table, out.instances);
    }
    out.rows = table.size();
    out.text = table.text();
    return out;
}

Result<JobsLister::Listing> JobsLister::list_ids(Handle& flux,
                                                 const std::vector<std::string>& words) const {
    SLUICE_TRY(std::vector<JobRow> rows, by_ids(flux, words));
    JobsTable table{plan_, options_};
    Listing out;
    add(flux, rows, 0, table, out.instances);
    out.rows = table.size();
    if (!rows.empty()) out.text = table.text();
    return out;
}

Result<std::vector<JobRow>> JobsLister::by_filter(Handle& flux) const {
    SLUICE_TRY(auto jobs, list_jobs(flux, query()));
    std::vector<JobRow> rows = make_job_rows(std::move(jobs), now_);
    truncate(rows, 0);
    return rows;
}

Result<std::vector<JobRow>> JobsLister::by_ids(Handle& flux,
                                               const std::vector<std::string>& words) const {
    SLUICE_TRY(const std::vector<JobId> ids, jobid_words(words));
    SLUICE_TRY(auto found, list_job_ids(flux, ids, plan_.attributes));
    std::vector<JsonObject> jobs;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i])
            jobs.push_back(std::move(*found[i]));
        else
            fmt::print(stderr, "JobID {} unknown\n", words[i]);
    }
    return make_job_rows(std::move(jobs), now_);
}

Result<int> JobsLister::print_stats(Handle& flux) const {
    SLUICE_TRY(const JsonObject stats, flux.call("job-list.job-stats"));
    write_stdout(stats_line(stats, true));
    JsonReader in{stats};
    JsonReader states{in.object("job_states")};
    const bool active = states.integer_or("total", 0) > states.integer_or("inactive", 0);
    return active ? 0 : 1;
}

bool JobsLister::enters(const JobRow& row, int level) const {
    if (!options_.recursive || level >= options_.level || job_uri(row).empty()) return false;
    const bool mine = row.integer("userid") == static_cast<std::int64_t>(::getuid());
    return row.integer("state") == job_state::run && (mine || options_.recurse_all);
}

void JobsLister::print_children(const std::vector<Instance>& instances, const std::string& path,
                                int level) const {
    for (const Instance& instance : instances) {
        auto child = Handle::open(reachable_uri(instance.uri));
        if (!child) continue;
        const auto listing = list(*child, level + 1);
        if (!listing) continue;
        const std::string child_path = path + (path.empty() ? "" : "/") + to_f58(instance.id);
        fmt::print("\n{}:\n", child_path);
        if (options_.stats || options_.stats_only)
            if (const auto stats = child->call("job-list.job-stats"))
                write_stdout(stats_line(*stats, false));
        if (!options_.stats_only) write_stdout(listing->text);
        print_children(listing->instances, child_path, level + 1);
    }
}

JsonArray JobsLister::json_rows(const std::vector<JobRow>& rows, int level) const {
    JsonArray array;
    for (const JobRow& row : rows) {
        JsonObject object = job_to_json(row);
        if (enters(row, level)) {
            auto child = Handle::open(reachable_uri(job_uri(row)));
            auto jobs = child ? by_filter(*child) : Result<std::vector<JobRow>>{child.error()};
            if (jobs) object["jobs"] = json_rows(*jobs, level + 1);
        }
        array.emplace_back(std::move(object));
    }
    return array;
}

Result<int> JobsLister::run(Handle& flux, const std::vector<std::string>& ids) {
    int code = 0;
    if (options_.stats || options_.stats_only) {
        SLUICE_TRY(code, print_stats(flux));
        if (options_.stats_only && !options_.recursive) return code;
    }
    if (options_.json) return print_json(flux, ids);
    SLUICE_TRY(const Listing listing, ids.empty() ? list(flux, 0) : list_ids(flux, ids));
    if (!options_.stats_only) write_stdout(listing.text);
    if (options_.recursive) print_children(listing.instances, "", 0);
    if (options_.stats_only) return code;
    return ids.empty() || listing.rows > 0 ? 0 : 1;
}

Result<int> JobsLister::print_json(Handle& flux, const std::vector<std::string>& ids) const {
    SLUICE_TRY(const auto rows, ids.empty() ? by_filter(flux) : by_ids(flux, ids));
    JsonArray array = json_rows(rows, 0);
    JsonObject object;
    const bool single = ids.size() == 1 && array.size() == 1;
    if (single)
        object = std::move(array.front().get_object());
    else
        object["jobs"] = std::move(array);
    write_stdout(dump_json_spaced(Json(std::move(object))) + "\n");
    return ids.empty() || !rows.empty() ? 0 : 1;
}

}  // namespace sluice
