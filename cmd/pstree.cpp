// flux pstree: the tree of instances and their jobs.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/hostlist.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/job_formats.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/format/tree_text.hpp"
#include "cmd/job_query.hpp"
#include "cmd/jobs_tree.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;
constexpr std::size_t default_columns = 132;

struct PstreeOptions {
    bool all = false, extended = false, long_lines = false, parent_ids = false, no_header = false,
         no_combine = false, compact = false, ascii = false;
    std::int64_t count = 1000, level = 9999;
    std::string filter = "running", label = "{name}", parent_label, detail_format, details,
                skip_root;
};

void declare(Cli& cli, PstreeOptions& options) {
    cli.flag("-a,--all", options.all, "include jobs in all states");
    cli.option("-c,--count=N", integer_into(options.count), "at most N jobs an instance (1000)");
    cli.option("-f,--filter=STATE|RESULT,...", options.filter, "jobs in these states (running)");
    cli.flag("-x,--extended", options.extended, "print details of each job");
    cli.flag("-l,--long", options.long_lines, "do not cut lines at the width of the terminal");
    cli.option("-L,--level=N", integer_into(options.level), "descend at most N levels");
    cli.flag("-p,--parent-ids", options.parent_ids, "print the ids of instances");
    cli.flag("-n,--no-header", options.no_header, "leave out the header line of details");
    cli.flag("-X,--no-combine", options.no_combine, "do not merge equal jobs");
    cli.option("-o,--label=FORMAT", options.label, "label of a job ({name})");
    cli.option("--parent-label=FORMAT", options.parent_label, "label of an instance");
    cli.option("--detail-format=FORMAT", options.detail_format, "format of the details");
    cli.option("-d,--details=NAME", options.details,
               "named details: default, resources, progress or stats");
    cli.flag("-C,--compact", options.compact, "draw narrower connectors");
    cli.flag("--ascii", options.ascii, "draw connectors in ASCII");
    cli.option("--skip-root=yes|no", options.skip_root, "leave out this instance or not");
}

Result<std::string> details_format(const PstreeOptions& options) {
    if (!options.detail_format.empty()) return options.detail_format;
    const std::string& name = options.details;
    if (name.empty() || name == "default")
        return std::string(
            "{id.f58:>12} {username:<8.8} {status_abbrev:>2.2} {ntasks:>6h} "
            "{nnodes:>6h} {runtime!F:>8h}");
    if (name == "resources")
        return std::string(
            "{id.f58:>12} {instance.resources.all.nnodes:>6} "
            "{instance.resources.all.ncores:>6} "
            "{instance.resources.allocated.ncores:>6} "
            "{instance.utilization!P:>5}");
    if (name == "progress")
        return std::string(
            "{id.f58:>12} {ntasks:>6h} {instance.stats.total:>6} "
            "{instance.progress!P:>5} {instance.utilization!P:>5} "
            "{instance.gpu_utilization!P:>5} {runtime!H:>10}");
    if (name == "stats") return std::string("{id.f58:>12} {instance.stats:^25} {runtime!F:>8h}");
    return fail(EINVAL, "Unknown format name \"{}\"", name);
}

/// Fetches jobs and builds the tree; rows() are what the nodes' `item` counts.
class TreeBuilder {
  public:
    TreeBuilder(const PstreeOptions& options, OutputFormat label, OutputFormat parent_label,
                JobFilter filter)
        : options_(options),
          label_(std::move(label)),
          parent_label_(std::move(parent_label)),
          filter_(std::move(filter)) {}

    Result<TreeNode> instance(Handle& flux) {
        SLUICE_TRY(JobRow root, root_row(flux));
        TreeNode node = node_of(std::move(root), true);
        SLUICE_CHECK(add_jobs(flux, node, 1));
        return node;
    }

    /// The nodes of those jobs that there are; says which are unknown.
    Result<std::vector<TreeNode>> jobs(Handle& flux, const std::vector<std::string>& words) {
        SLUICE_TRY(const std::vector<JobId> ids, jobid_words(words));
        SLUICE_TRY(auto found, list_job_ids(flux, ids, {"all"}));
        std::vector<TreeNode> nodes;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i]) nodes.push_back(job_node(std::move(*found[i]), 1));
            else fmt::print(stderr, "JobID {} unknown\n", words[i]);
        }
        return nodes;
    }

    Result<TreeNode> root_only(Handle& flux) {
        SLUICE_TRY(JobRow root, root_row(flux));
        return node_of(std::move(root), true);
    }

    std::vector<JobRow>& rows() { return rows_; }

  private:
    static Result<JobRow> job_of_parent(Handle& flux) {
        SLUICE_TRY(const std::string uri, flux.attr("parent-uri"));
        SLUICE_TRY(const std::string jobid, flux.attr("jobid"));
        SLUICE_TRY(const JobId id, jobid_argument(jobid, style));
        SLUICE_TRY(Handle parent, Handle::open(reachable_uri(uri)));
        std::vector<JsonObject> one(1);
        SLUICE_TRY(one[0], list_job_id(parent, id, {"all"}));
        return std::move(make_job_rows(std::move(one), wall_clock_now()).front());
    }
    /// This instance as if it were a job; as the job that it is where it has a parent.
    static Result<JobRow> root_row(Handle& flux) {
        if (auto job = job_of_parent(flux)) return *std::move(job);
        SLUICE_TRY(const std::string size, flux.attr("size"));
        const auto hosts = Hostlist::parse(flux.attr("hostlist").value_or(""));
        const std::string start = flux.attr("broker.starttime").value_or("0");
        const std::string owner = flux.attr("security.owner").value_or("0");
        JobRow row;
        row.now = wall_clock_now();
        row.json["name"] = ".";
        row.json["state"] = job_state::run;
        row.json["ntasks"] = std::atoi(size.c_str());
        row.json["t_run"] = std::strtod(start.c_str(), nullptr);
        row.json["userid"] = std::atoi(owner.c_str());
        row.username = user_name(UserId{static_cast<std::uint32_t>(std::atoi(owner.c_str()))});
        if (hosts) {
            Hostlist unique = *hosts;
            unique.uniq();
            row.json["nnodes"] = unique.size();
        }
        const auto jobid = flux.attr("jobid");
        if (jobid)
            if (const auto id = jobid_argument(*jobid, style)) row.json["id"] = id->value;
        return row;
    }

    TreeNode node_of(JobRow row, bool parent) {
        const FieldsOfRow values = [&row](std::string_view field) -> FieldValue {
            // The root instance has no id: it is "." in the tree of ids.
            if (field.starts_with("id") && (field.size() == 2 || field[2] == '.') && !row.has("id"))
                return ".";
            return job_field(row, field);
        };
        TreeNode node;
        node.label = (parent ? parent_label_ : label_).row(values);
        node.item = rows_.size();
        rows_.push_back(std::move(row));
        return node;
    }

    TreeNode job_node(JsonObject json, int level) {
        std::vector<JsonObject> one;
        one.push_back(std::move(json));
        JobRow row = std::move(make_job_rows(std::move(one), wall_clock_now()).front());
        const std::string uri = job_uri(row);
        const bool enters = !uri.empty() && row.integer("state") == job_state::run;
        TreeNode node = node_of(std::move(row), enters);
        if (!enters || level >= options_.level) return node;
        auto child = Handle::open(reachable_uri(uri));
        // An instance that is unreachable, or has just ended, stays a leaf.
        if (child) (void)add_jobs(*child, node, level + 1);
        return node;
    }

    Result<void> add_jobs(Handle& flux, TreeNode& node, int level) {
        JobQuery query;
        query.entries_max = options_.count;
        query.attributes = {"all"};
        query.constraint = filter_constraint(filter_);
        SLUICE_TRY(auto jobs, list_jobs(flux, query));
        for (JsonObject& json : jobs) node.children.push_back(job_node(std::move(json), level));
        return {};
    }

    const PstreeOptions& options_;
    OutputFormat label_, parent_label_;
    JobFilter filter_;
    std::vector<JobRow> rows_;
};

Result<TreeBuilder> make_builder(const PstreeOptions& options) {
    std::string label = options.label;
    if (options.all && label == "{name}") label = "{name}:{status_abbrev}";
    std::string parent = options.parent_label.empty() ? options.label : options.parent_label;
    if (options.parent_ids) parent = "{id.f58} " + parent;
    SLUICE_TRY(OutputFormat label_format, OutputFormat::parse(label, job_heading));
    SLUICE_TRY(OutputFormat parent_format, OutputFormat::parse(parent, job_heading));
    JobFilter filter;
    filter.user = UserId{::getuid()};
    SLUICE_TRY(filter.states, parse_state_filter(options.filter));
    if (options.all)
        filter.states = {job_state::pending | job_state::running | job_state::inactive, 0};
    return TreeBuilder{options, std::move(label_format), std::move(parent_format),
                       std::move(filter)};
}

Result<std::vector<TreeNode>> build_trees(Handle& flux, TreeBuilder& builder,
                                          const PstreeOptions& options,
                                          const std::vector<std::string>& ids) {
    const bool skip_default = options.extended || !options.details.empty() || !ids.empty();
    const bool skip_root = options.skip_root.empty() ? skip_default : options.skip_root == "yes";
    if (ids.empty()) {
        SLUICE_TRY(TreeNode root, builder.instance(flux));
        if (skip_root) return std::move(root.children);
        return std::vector<TreeNode>{std::move(root)};
    }
    SLUICE_TRY(std::vector<TreeNode> nodes, builder.jobs(flux, ids));
    if (skip_root) return nodes;
    SLUICE_TRY(TreeNode root, builder.root_only(flux));
    root.children = std::move(nodes);
    return std::vector<TreeNode>{std::move(root)};
}

std::size_t columns() {
    const std::int64_t width = terminal_width();
    return width > 0 ? static_cast<std::size_t>(width) : default_columns;
}

void print_line(std::string line, const PstreeOptions& options) {
    if (!options.long_lines && text_width(line) > columns())
        line = std::string(text_prefix(line, columns() - 1)) + "+";
    write_stdout(line + "\n");
}

Result<void> print_trees(std::vector<TreeNode> trees, std::vector<JobRow>& rows,
                         const PstreeOptions& options) {
    const bool detailed =
        options.extended || !options.details.empty() || !options.detail_format.empty();
    const TreeConnectors& connectors = options.ascii     ? ascii_connectors
                                       : options.compact ? compact_connectors
                                                         : box_connectors;
    if (!options.no_combine && !detailed) {
        TreeNode all;
        all.children = std::move(trees);
        merge_equal_leaves(all);
        trees = std::move(all.children);
    }
    std::vector<TreeLine> lines;
    for (const TreeNode& tree : trees) draw_tree(tree, connectors, lines);
    if (!detailed) {
        for (TreeLine& line : lines) print_line(std::move(line.text), options);
        return {};
    }
    SLUICE_TRY(const std::string text, details_format(options));
    SLUICE_TRY(const OutputFormat format, OutputFormat::parse(text, job_heading));
    if (text.find("instance.") != text.npos) load_instance_summaries(rows);
    if (!options.no_header) print_line(format.header(), options);
    for (const TreeLine& line : lines) {
        const JobRow& row = rows[line.item];
        const auto values = [&row](std::string_view field) { return job_field(row, field); };
        print_line(format.row(values) + " " + line.text, options);
    }
    return {};
}

}  // namespace

int cmd_pstree(int argc, char** argv) {
    Cli cli{"flux-pstree", style, "[-h] [OPTIONS] [JOBID]...", "Show the tree of jobs."};
    PstreeOptions options;
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!options.skip_root.empty() && options.skip_root != "yes" && options.skip_root != "no")
        return cli.usage_error("argument --skip-root: invalid value '" + options.skip_root +
                               "'; use yes or no");
    auto builder = make_builder(options);
    if (!builder) return cli.error(builder.error().text());
    if (const auto ids = jobid_words(cli.words()); !ids)
        return cli.usage_error(ids.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    auto trees = build_trees(*flux, *builder, options, cli.words());
    if (!trees) return cli.error(trees.error().text());
    const auto printed = print_trees(std::move(*trees), builder->rows(), options);
    return printed ? 0 : cli.error(printed.error().text());
}

}  // namespace sluice
