// flux-resource-query: asks a resource graph what a job would get. A program of its own, so that no
// other command loads hwloc and expat. What its commands do is in resource/query/session.*.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/format/yaml.hpp"
#include "cmd/option_listing.hpp"
#include "resource/probe/hwloc_probe_graph.hpp"
#include "resource/query/graph_text.hpp"
#include "resource/query/session.hpp"

namespace sluice {
namespace {

struct QueryOptions {
    std::string load_file = "conf/default", load_format = "grug", subsystems = "CA",
                policy = "first", match_format = "simple", traverser = "simple",
                graph_format = "dot", graph_output, results, reserved;
    std::vector<std::string> allowlists, filters;
    bool elapsed = false, no_prompt = false;
};

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Result<std::string> read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    if (!file) return fail(ENOENT, "{}: cannot be opened", path);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.bad()) return fail(EIO, "{}: cannot be read", path);
    return text;
}

/// What --match-subsystems names: the dominant subsystem and those beside it.
Result<std::vector<std::string>> parse_subsystems(std::string name) {
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (name == "ALL") name = "C+IBA+IBBA+PFS1BA+PA";
    if (name.size() > 1 && name.ends_with('A')) name.pop_back();
    std::vector<std::string> subsystems;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('+', at), name.size());
        std::string word = name.substr(at, end - at);
        if (word.ends_with('A')) word.pop_back();
        const std::string subsystem = word == "C"       ? "containment"
                                      : word == "IB"    ? "ibnet"
                                      : word == "IBB"   ? "ibnetbw"
                                      : word == "PFS1B" ? "pfs1bw"
                                      : word == "P"     ? "power"
                                      : word == "V"     ? "virtual1"
                                                        : "";
        if (subsystem.empty()) return fail(EINVAL, "unknown matcher '{}'", name);
        subsystems.push_back(subsystem);
        at = end + 1;
    }
    return subsystems;
}

void declare(Cli& cli, QueryOptions& options) {
    cli.option("-L,--load-file=FILE", options.load_file, "Read the resource graph from FILE");
    cli.option("-f,--load-format=FORMAT", options.load_format,
               "grug, hwloc, jgf, rv1exec or rv1exec_force (default: grug)");
    cli.option("-W,--load-allowlist=TYPES", options.allowlists,
               "Load these resource types only, separated by commas (hwloc)");
    cli.option("-S,--match-subsystems=NAME", options.subsystems,
               "Subsystems to match in: CA, IBA, IBBA, PFS1BA, PA, C+PA, …, ALL (default: CA)");
    cli.option("-P,--match-policy=POLICY", options.policy,
               "low, high, lonode, hinode, lonodex, hinodex, first, firstnodex, locality, "
               "variation, or options (default: first)");
    cli.option("-F,--match-format=FORMAT", options.match_format,
               "simple, pretty_simple, jgf, jgf_shorthand, rlite, rv1, rv1_nosched or "
               "rv1_shorthand (default: simple)");
    cli.option("-T,--traverser-policy=POLICY", options.traverser,
               "simple, or flexible: slots beside each other are alternatives (default: simple)");
    cli.option("-p,--prune-filters=HIGH:LOW,...", options.filters,
               "Sum up LOW resources at HIGH ones, or at ALL, to search less (default: "
               "ALL:core,ALL:node)");
    cli.option("-g,--graph-format=FORMAT", options.graph_format,
               "dot or graphml, for --graph-output (default: dot)");
    cli.option("-o,--graph-output=BASENAME", options.graph_output,
               "Write the graph to BASENAME.dot or BASENAME.graphml at the end");
    cli.option("-t,--test-output=FILE", options.results, "Write what is matched to FILE");
    cli.option("-r,--reserve-vtx-vec=SIZE", options.reserved,
               "Accepted: the graph grows as it must");
    cli.flag("-e,--elapse-time", options.elapsed, "Print how long operations take");
    cli.flag("-d,--disable-prompt", options.no_prompt, "Print no prompt");
}

/// The words of lists, each separated by commas.
std::set<std::string, std::less<>> words_of(const std::vector<std::string>& lists) {
    std::set<std::string, std::less<>> words;
    for (const std::string& list : lists)
        for (std::size_t at = 0; at < list.size();) {
            const std::size_t end = std::min(list.find(',', at), list.size());
            if (end > at) words.insert(list.substr(at, end - at));
            at = end + 1;
        }
    return words;
}

/// Errors: EINVAL for a word that an option does not know.
Result<void> check(const QueryOptions& options) {
    SLUICE_CHECK(parse_graph_format(options.load_format));
    SLUICE_CHECK(parse_placement_format(options.match_format));
    if (options.graph_format != "dot" && options.graph_format != "graphml")
        return fail(EINVAL, "unknown graph format '{}'", options.graph_format);
    if (options.traverser != "simple" && options.traverser != "flexible")
        return fail(EINVAL, "unknown traverser policy '{}'", options.traverser);
    return {};
}

Result<std::unique_ptr<TypedGraph>> load(const QueryOptions& options) {
    SLUICE_TRY(const std::string text, read_file(options.load_file));
    auto graph = std::make_unique<TypedGraph>();
    const auto read = [&]() -> Result<void> {
        switch (*parse_graph_format(options.load_format)) {
            case GraphFormat::grug: return read_grug(text, *graph);
            case GraphFormat::jgf:
            case GraphFormat::jgf_shorthand: return read_jgf(text, *graph);
            case GraphFormat::rv1exec:
            case GraphFormat::rv1exec_force: return read_rv1(text, *graph);
            case GraphFormat::hwloc: return read_hwloc(text, words_of(options.allowlists), *graph);
        }
        return {};
    }();
    if (!read) return read.error().in(options.load_file);
    return graph;
}

Result<std::unique_ptr<GraphScheduler>> make_scheduler(const QueryOptions& options) {
    GraphScheduler::Options scheduling;
    SLUICE_TRY(scheduling.policy, MatchPolicy::parse(options.policy));
    SLUICE_TRY(scheduling.subsystems, parse_subsystems(options.subsystems));
    scheduling.flexible = options.traverser == "flexible";
    std::string filters;
    for (const std::string& filter : options.filters)
        if (filter.find_first_not_of(' ') != std::string::npos)
            filters.append(filters.empty() ? "" : ",").append(filter);
    if (!filters.empty()) scheduling.prune_filters = filters;
    SLUICE_TRY(auto graph, load(options));
    return GraphScheduler::make(std::move(graph), std::move(scheduling));
}

void print_load(const TypedGraph& graph, double elapsed) {
    fmt::print("INFO: Graph Load Time: {:g}\nINFO: Vertex Count: {}\nINFO: Edge Count: {}\n"
               "INFO: by_type Key-Value Pairs: {}\nINFO: by_name Key-Value Pairs: {}\n"
               "INFO: by_path Key-Value Pairs: {}\n",
               elapsed, graph.vertex_count(), graph.edge_count(), graph.type_count(),
               graph.name_count(), graph.path_count());
    for (const auto& [rank, vertices] : graph.ranks())
        fmt::print("INFO: number of vertices with rank {}: {}\n", rank, vertices.size());
}

/// Reads commands until quit or the end of the input.
Result<void> converse(QuerySession& session, const QueryOptions& options) {
    std::ofstream file;
    if (!options.results.empty()) {
        file.open(options.results);
        if (!file) return fail(errno, "{}: cannot be written", options.results);
    }
    std::ostream& results = options.results.empty() ? std::cout : file;
    const bool prompt = !options.no_prompt && ::isatty(0);
    for (std::string line;;) {
        if (prompt) std::cout << "resource-query> " << std::flush;
        if (!std::getline(std::cin, line)) break;
        const QuerySession::Reply reply = session.execute(line);
        std::cout << reply.out << std::flush;
        std::cerr << reply.err << std::flush;
        results << reply.results << std::flush;
        if (!results) return fail(EIO, "{}: cannot be written", options.results);
        if (reply.quit) break;
    }
    return {};
}

Result<void> write_graph(const TypedGraph& graph, const QueryOptions& options) {
    if (options.graph_output.empty()) return {};
    const std::string path = options.graph_output + "." + options.graph_format;
    std::ofstream file{path};
    file << (options.graph_format == "dot" ? write_dot(graph) : write_graphml(graph));
    file.flush();
    if (!file) return fail(EIO, "{}: cannot be written", path);
    return {};
}

int run_resource_query(int argc, char** argv) {
    QueryOptions options;
    Cli cli("flux-resource-query", CliStyle::c_tool, "[OPTIONS]",
            "Ask a resource graph what jobs would get. Commands are read from standard input; "
            "help lists them.");
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("unexpected word " + cli.words()[0]);
    if (const auto checked = check(options); !checked)
        return cli.usage_error(checked.error().text());
    const double start = seconds();
    auto scheduler = make_scheduler(options);
    if (!scheduler) return cli.error(scheduler.error().text());
    if (options.elapsed) print_load((*scheduler)->graph(), seconds() - start);
    QuerySession session{*std::move(scheduler),
                         {*parse_placement_format(options.match_format), options.elapsed},
                         {read_file, parse_yaml, seconds}};
    if (const auto done = converse(session, options); !done) return cli.error(done.error().text());
    const auto written = write_graph(session.scheduler().graph(), options);
    return written ? 0 : cli.error(written.error().text());
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
    static constexpr sluice::Command commands[] = {
        {"resource-query", sluice::run_resource_query, ""}};
    const std::string_view first = argc > 1 ? argv[1] : "", second = argc > 2 ? argv[2] : "";
    const bool listing = first == "--list-options";
    const sluice::Command* command = sluice::find_command(commands, listing ? second : first);
    if (!command) {
        fmt::print(stderr, "usage: flux-resource-query resource-query ...; use flux "
                           "resource-query\n");
        return 1;
    }
    if (!listing) return command->function(argc - 1, argv + 1);
    sluice::print_option_table(*command);
    return 0;
}
