// flux resource list, info and R: the scheduler's view.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/format/queue_fields.hpp"
#include "cmd/resource/commands.hpp"
#include "cmd/resource/resource_sets.hpp"
#include "sched/summary.hpp"
#include "cmd/table_output.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

FormatCatalog list_formats() {
    const std::string head =
        "{state:>10} ?+:{queue:<5} ?:{propertiesx:<10.10+} {nnodes:>6} +:{ncores:>6} "
        "?+:{ngpus:>5} ";
    return {"flux-resource list", "flux-resource", "list", "FLUX_RESOURCE_LIST_FORMAT_DEFAULT",
            {{"default", "Default flux-resource list format string", head + "{nodelist}"},
             {"rlist", "Format including resource list details", head + "{rlist}"}}};
}

/// One line: nodes of one state that agree in what the format shows.
struct Line {
    std::string state, queue, properties, propertiesx;
    ResourceSet R;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> headings{{
    {"state", "STATE"}, {"queue", "QUEUE"}, {"properties", "PROPERTIES"},
    {"propertiesx", "PROPERTIES"}, {"nnodes", "NNODES"}, {"ncores", "NCORES"},
    {"ngpus", "NGPUS"}, {"ranks", "RANKS"}, {"nodelist", "NODELIST"}, {"rlist", "LIST"},
}};

std::optional<std::string> heading_of(std::string_view field) {
    for (const auto& [name, heading] : headings)
        if (name == field) return std::string{heading};
    return std::nullopt;
}

FieldValue field_of(const Line& line, std::string_view field) {
    if (field == "state") return line.state;
    if (field == "queue") return line.queue;
    if (field == "properties") return line.properties;
    if (field == "propertiesx") return line.propertiesx;
    if (field == "nnodes") return static_cast<std::int64_t>(line.R.node_count());
    if (field == "ncores") return static_cast<std::int64_t>(line.R.core_count());
    if (field == "ngpus") return static_cast<std::int64_t>(line.R.gpu_count());
    if (field == "ranks") return line.R.ranks().to_string();
    if (field == "nodelist") return line.R.nodelist().to_string();
    if (field == "rlist") return resource_summary(line.R);
    return "";
}

/// Makes the lines: nodes are told apart only by the fields that the format has.
class LineMaker {
  public:
    LineMaker(const OutputFormat& format, const JsonObject& config) : config_(config) {
        for (const std::string& field : format.fields()) {
            show_state_ |= field == "state";
            show_queue_ |= field == "queue";
            show_properties_ |= field == "properties" || field == "propertiesx";
        }
    }
    void add_state(const std::string& state, const ResourceSet& R, bool skip_empty) {
        if (R.empty() && !skip_empty) line(state, {});
        Line* to = nullptr;
        std::vector<std::string> last;  // neighbours mostly have the same properties
        for (const ResourceSet::Node& node : R.nodes()) {
            std::vector<std::string> properties = properties_of(R, node.rank);
            if (!to || properties != last) to = &line(state, properties);
            last = std::move(properties);
            to->R.add(node);
        }
    }
    std::vector<Line> lines() && {
        // Within a state by first rank; nodes came in rank order already.
        return std::move(lines_);
    }

  private:
    Line& line(const std::string& state, const std::vector<std::string>& properties) {
        Line wanted;
        wanted.state = show_state_ ? state : "";
        if (show_queue_) wanted.queue = queues_of(properties, config_);
        if (show_properties_) wanted.properties = join(properties, ",");
        for (Line& known : lines_)
            if (known.state == wanted.state && known.queue == wanted.queue &&
                known.properties == wanted.properties)
                return known;
        if (show_properties_) wanted.propertiesx = join(without_queues(properties), ",");
        lines_.push_back(std::move(wanted));
        return lines_.back();
    }
    /// Properties that only name a queue say nothing new beside the queue.
    std::vector<std::string> without_queues(std::vector<std::string> properties) const {
        const std::vector<std::string> queues = configured_queues(config_);
        std::erase_if(properties, [&](const std::string& property) {
            return std::ranges::find(queues, property) != queues.end();
        });
        return properties;
    }

    const JsonObject& config_;
    bool show_state_ = false, show_queue_ = false, show_properties_ = false;
    std::vector<Line> lines_;
};

struct Options {
    RankFilter filter;
    std::vector<std::string> states;
    bool from_stdin = false;  // for tests of formats

    std::vector<std::string> states_or(std::vector<std::string> fallback) const {
        std::vector<std::string> all;
        for (const std::string& list : states)
            for (std::string& state : split_words(list)) all.push_back(std::move(state));
        return all.empty() ? fallback : all;
    }
};

Result<ResourceSets> load_sets(const Options& options) {
    if (options.from_stdin) return parse_resource_sets(read_stdin());
    Result<Handle> flux = Handle::open();
    if (!flux) return flux.error().in("error connecting to Flux");
    return load_resource_sets(*flux);
}

Result<ResourceSets> load_selected(const Options& options) {
    SLUICE_TRY(ResourceSets sets, load_sets(options));
    SLUICE_TRY(const Idset ranks, options.filter.ranks(sets.all, sets.config));
    if (ranks == sets.all.ranks()) return sets;
    return sets.only_ranks(ranks);
}

/// The union of the sets of all states asked for.
Result<ResourceSet> selected_set(const Options& options) {
    SLUICE_TRY(const ResourceSets sets, load_selected(options));
    ResourceSet R;
    bool first = true;
    for (const std::string& state : options.states_or({"all"})) {
        SLUICE_TRY(ResourceSet part, sets.in_state(state));
        R = first ? std::move(part) : R | part;
        first = false;
    }
    return R;
}

int run_set_command(int argc, char** argv, const char* name, const char* summary,
                    void (*print)(const ResourceSet&)) {
    Cli cli{name, style, "[-h] [-s STATES] [-q QUEUE,...] [-i TARGETS]", summary};
    Options options;
    cli.option("-s,--states=STATE,...", options.states, "states to count (default all)");
    options.filter.declare(cli);
    cli.flag("--from-stdin", options.from_stdin, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    const auto R = selected_set(options);
    if (!R) return cli.error(R.error().text());
    print(*R);
    return 0;
}

}  // namespace

int cmd_resource_list(int argc, char** argv) {
    Cli cli{"flux-resource list", style,
            "[-h] [-o FORMAT] [-n] [-s STATES] [-q QUEUE,...] [-i TARGETS] [--skip-empty]",
            "Show resources by state."};
    Options options;
    TableOutput table;
    bool skip_empty = false, no_skip_empty = false;
    table.declare(cli);
    cli.option("-s,--states=STATE,...", options.states,
               "states to show: up, down, allocated, free, all (default free,allocated,down)");
    options.filter.declare(cli);
    cli.flag("--skip-empty", skip_empty, "leave out states without resources");
    cli.flag("--no-skip-empty", no_skip_empty, "show states without resources with -i too");
    cli.flag("--from-stdin", options.from_stdin, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    if (const auto code = table.choose(cli, list_formats(), heading_of)) return *code;
    const auto sets = load_selected(options);
    if (!sets) return cli.error(sets.error().text());
    const bool skip = skip_empty || (!options.filter.include.empty() && !no_skip_empty);
    LineMaker maker(table.format(), sets->config);
    for (const std::string& state : options.states_or({"free", "allocated", "down"})) {
        const auto R = sets->in_state(state);
        if (!R) return cli.error(R.error().text());
        maker.add_state(state, *R, skip);
    }
    table.print(std::move(maker).lines(), field_of);
    return 0;
}

int cmd_resource_info(int argc, char** argv) {
    return run_set_command(argc, argv, "flux-resource info", "Count nodes, cores and GPUs.",
                           [](const ResourceSet& R) {
                               fmt::print("{} Nodes, {} Cores, {} GPUs\n", R.node_count(),
                                          R.core_count(), R.gpu_count());
                           });
}

int cmd_resource_R(int argc, char** argv) {
    return run_set_command(argc, argv, "flux-resource R", "Print resources as RFC 20 R.",
                           [](const ResourceSet& R) {
                               fmt::print("{}\n", dump_json_spaced(R.to_json()));
                           });
}

}  // namespace sluice
