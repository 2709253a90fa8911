// flux-simulate: what would a policy have done? A program of its own, so that no other command
// loads the scheduler.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/load_file.hpp"
#include "cmd/option_listing.hpp"
#include "cmd/options/conf.hpp"
#include "cmd/simulate/picture.hpp"
#include "cmd/simulate/setup.hpp"

namespace sluice {
namespace {

struct OutputOptions {
    std::string rows, svg;
    bool json = false, jobs = false;
};

Result<std::string> read_trace(const std::string& path) {
    if (path == "-")
        return std::string(std::istreambuf_iterator<char>(std::cin), {});
    SLUICE_TRY(LoadedFile file, load_file(path));
    return std::move(file.content);
}

Result<void> write_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return {};
    }
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) return fail(EIO, "{}: cannot be written", path);
    return {};
}

Result<Json> read_conf(const std::vector<std::string>& arguments) {
    return build_conf(arguments, {}, load_file);
}

Result<void> run(const std::string& trace, const SimulateOptions& options,
                 const OutputOptions& output) {
    SLUICE_TRY(const std::string text, read_trace(trace));
    const std::string name = trace == "-" ? "standard input" : trace;
    const TraceMachine told = looks_like_json(text) ? TraceMachine{} : swf_machine(text);
    SLUICE_TRY(const SimMachine machine, make_machine(options, told, load_file));
    const auto workload = make_workload(options, text, machine);
    if (!workload) return workload.error().in(name);
    SLUICE_TRY(const Json conf, read_conf(options.conf));
    SLUICE_TRY(auto configs, make_configs(options, conf));
    std::vector<SimOutcome> outcomes;
    for (auto& [policy, config] : configs) {
        Simulation simulation = simulate(*workload, machine, policy, std::move(config));
        SimStatistics statistics = statistics_of(*workload, machine, simulation);
        outcomes.push_back({std::move(simulation), statistics});
    }
    if (!output.rows.empty())
        SLUICE_CHECK(write_file(output.rows, job_rows(*workload, outcomes)));
    if (!output.svg.empty()) {
        const PictureText words{
            name.substr(name.rfind('/') + 1),
            fmt::format("{} jobs on {} nodes, {} cores{}", workload->jobs.size(), machine.nodes,
                        machine.cores,
                        machine.gpus ? fmt::format(", {} gpus", machine.gpus) : std::string{})};
        SLUICE_CHECK(write_file(output.svg, simulation_svg(*workload, machine, outcomes, words)));
    }
    if (output.json)
        fmt::print("{}\n", dump_json(simulation_json(*workload, machine, outcomes, output.jobs)));
    else if (output.rows != "-" && output.svg != "-")
        fmt::print("{}", comparison_table(outcomes));
    return {};
}

int run_simulate(int argc, char** argv) {
    SimulateOptions options;
    OutputOptions output;
    Cli cli("flux-simulate", CliStyle::python_tool, "[OPTIONS] TRACE | --generate=JOBS",
            "Play a workload in virtual time through the scheduler.");
    cli.option("--policy=NAME[,NAME]", options.policies,
               "Queue policies to compare: fcfs, easy, conservative, hybrid");
    cli.option("--match-policy=NAME", options.match_policy, "Which nodes come first");
    cli.option("--queue-depth=N", options.queue_depth, "Jobs that a pass tries in vain");
    cli.option("--reservation-depth=N", options.reservation_depth,
               "Jobs that may hold a reservation (hybrid)");
    cli.option("--conf=CONF", options.conf, "Configuration, as for flux start");
    cli.option("--resources=FILE", options.resources, "The machine, as R (RFC 20)");
    cli.option("--nodes=N", options.nodes, "Or so many nodes alike");
    cli.option("--cores-per-node=N", options.cores_per_node, "Cores of each");
    cli.option("--gpus-per-node=N", options.gpus_per_node, "GPUs of each");
    cli.flag("--whole-nodes", options.whole_nodes, "Jobs of a trace take whole nodes");
    cli.flag("--json", output.json, "Print statistics as JSON");
    cli.flag("--jobs", output.jobs, "With --json: the jobs too");
    cli.option("--rows=FILE", output.rows, "Write a line for each job (CSV)");
    cli.option("--svg=FILE", output.svg, "Draw who had which nodes when");
    cli.option("--generate=JOBS", options.generate, "Print a made-up trace instead");
    cli.option("--seed=N", options.seed, "Of the made-up trace");
    cli.option("--days=N", options.days, "That it spans (30)");
    cli.option("--load=PART", options.load, "Of the machine (0.9)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!options.generate.empty()) {
        if (!cli.words().empty()) return cli.usage_error("--generate takes no trace");
        const auto generator = make_generator(options);
        if (!generator) return cli.error(generator.error().text());
        fmt::print("{}", generate_swf(*generator));
        return 0;
    }
    if (cli.words().size() != 1) return cli.usage_error("give one trace, or - for standard input");
    const Result<void> done = run(cli.words()[0], options, output);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
    // `flux` gives the command's word first; --list-options asks for the table.
    const bool listing = argc > 1 && std::string_view(argv[1]) == "--list-options";
    const sluice::Command command{"simulate", sluice::run_simulate, ""};
    if (!listing) return sluice::run_simulate(argc - 1, argv + 1);
    sluice::print_option_table(command);
    return 0;
}
