// From the options of `flux simulate` to what is simulated: the machine, the workload, a
// configuration for each policy.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cmd/options/file_loader.hpp"
#include "cmd/simulate/simulation.hpp"

namespace sluice {

struct SimulateOptions {
    std::string nodes, cores_per_node, gpus_per_node, resources;
    std::vector<std::string> policies, conf;
    std::string match_policy, queue_depth, reservation_depth;
    bool whole_nodes = false;
    std::string generate, seed, days, load;
};

/// A whole number. Errors: EINVAL "--OPTION: 'x' is not a whole number between LOW and HIGH".
Result<std::uint64_t> whole_number(std::string_view option, std::string_view text,
                                   std::uint64_t low, std::uint64_t high);

/// R from --resources, or nodes alike from --nodes and --cores-per-node, or what the trace tells of
/// its machine.
/// Errors: EINVAL without resources to schedule, or the file's errno.
Result<SimMachine> make_machine(const SimulateOptions& options, const TraceMachine& trace,
                                const FileLoader& load);
Result<Workload> make_workload(const SimulateOptions& options, std::string_view text,
                               const SimMachine& machine);
/// A name and a configuration for each of --policy, on top of --conf; without it that of --conf.
/// Errors: EINVAL naming the option or key.
Result<std::vector<std::pair<std::string, SchedConfig>>> make_configs(
    const SimulateOptions& options, const Json& conf);
Result<GeneratorOptions> make_generator(const SimulateOptions& options);

}  // namespace sluice
