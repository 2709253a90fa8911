#include "cmd/simulate/setup.hpp"

#include <charconv>
#include <cmath>

namespace sluice {
namespace {

constexpr std::uint64_t nodes_max = 1 << 20, cores_max = 1 << 16, jobs_max = 100'000'000;

Result<double> real_number(std::string_view option, std::string_view text, double high) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value > 0 && value <= high))
        return fail(EINVAL, "--{}: '{}' is not a number above 0 and up to {}", option, text, high);
    return value;
}

Result<SimMachine> machine_of(ResourceSet R) {
    SimMachine machine{std::move(R), 0, 0, 0};
    machine.nodes = machine.R.node_count();
    machine.cores = machine.R.core_count();
    machine.gpus = machine.R.gpu_count();
    if (machine.cores == 0)
        return fail(EINVAL, "there are no cores to schedule; give --resources or --nodes and "
                            "--cores-per-node");
    return machine;
}

Result<std::uint64_t> or_else(std::string_view option, const std::string& text,
                              std::uint64_t otherwise, std::uint64_t high) {
    return text.empty() ? Result<std::uint64_t>{otherwise} : whole_number(option, text, 0, high);
}

/// Sets `name` in the table `table` of the configuration.
void set(JsonObject& conf, std::string_view table, std::string_view name, Json value) {
    Json& at = conf[table];
    if (!at.is_object()) at = JsonObject{};
    at.get_object()[name] = std::move(value);
}

Result<void> set_depth(JsonObject& conf, std::string_view params, std::string_view name,
                       const std::string& text) {
    if (text.empty()) return {};
    SLUICE_TRY(const std::uint64_t depth, whole_number(name, text, 1, 1000000));
    constexpr std::string_view table = "sched-fluxion-qmanager";
    if (!conf[table].is_object()) conf[table] = JsonObject{};
    set(conf[table].get_object(), params, name, Json(depth));
    return {};
}

/// "easy,fcfs" are two.
std::vector<std::string> split_policies(const std::vector<std::string>& lists) {
    std::vector<std::string> policies;
    for (const std::string& list : lists) {
        std::size_t from = 0, comma = 0;
        do {
            comma = list.find(',', from);
            policies.push_back(list.substr(from, comma - from));
            from = comma + 1;
        } while (comma != std::string::npos);
    }
    return policies;
}

}  // namespace

Result<std::uint64_t> whole_number(std::string_view option, std::string_view text,
                                   std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
        return fail(EINVAL, "--{}: '{}' is not a whole number between {} and {}", option, text, low,
                    high);
    return value;
}

Result<SimMachine> make_machine(const SimulateOptions& options, const TraceMachine& trace,
                                const FileLoader& load) {
    if (!options.resources.empty()) {
        SLUICE_TRY(const LoadedFile file, load(options.resources));
        auto R = ResourceSet::parse(file.content);
        if (!R) return R.error().in(options.resources);
        auto machine = machine_of(*std::move(R));
        return machine ? std::move(machine) : machine.error().in(options.resources);
    }
    const std::uint64_t told_nodes = trace.nodes ? trace.nodes : trace.cores;
    SLUICE_TRY(const std::uint64_t nodes, or_else("nodes", options.nodes, told_nodes, nodes_max));
    const std::uint64_t told_cores =
        told_nodes ? std::max<std::uint64_t>(1, trace.cores / told_nodes) : 1;
    SLUICE_TRY(const std::uint64_t cores,
               or_else("cores-per-node", options.cores_per_node, told_cores, cores_max));
    SLUICE_TRY(const std::uint64_t gpus,
               or_else("gpus-per-node", options.gpus_per_node, 0, cores_max));
    if (nodes > nodes_max || cores > cores_max)
        return fail(EINVAL, "the header of the trace tells of {} nodes and {} cores; give --nodes "
                            "and --cores-per-node", told_nodes, trace.cores);
    ResourceSet R;
    for (std::uint32_t rank = 0; rank < nodes; ++rank)
        R.add({rank, "node" + std::to_string(rank),
               cores ? Idset::range(0, static_cast<Idset::Id>(cores - 1)) : Idset{},
               gpus ? Idset::range(0, static_cast<Idset::Id>(gpus - 1)) : Idset{}});
    return machine_of(std::move(R));
}

Result<Workload> make_workload(const SimulateOptions& options, std::string_view text,
                               const SimMachine& machine) {
    const auto cores = static_cast<std::uint32_t>(machine.R.nodes()[0].cores.size());
    SLUICE_TRY(Workload workload,
               looks_like_json(text)
                   ? parse_jobspecs(text)
                   : parse_swf(text, {options.whole_nodes, std::max<std::uint32_t>(cores, 1)}));
    if (workload.jobs.empty()) return fail(EINVAL, "no job that could run");
    return workload;
}

Result<std::vector<std::pair<std::string, SchedConfig>>> make_configs(
    const SimulateOptions& options, const Json& conf) {
    JsonObject base = conf.is_object() ? conf.get_object() : JsonObject{};
    if (!options.match_policy.empty())
        set(base, "sched-fluxion-resource", "match-policy", Json(options.match_policy));
    SLUICE_CHECK(set_depth(base, "queue-params", "queue-depth", options.queue_depth));
    SLUICE_CHECK(set_depth(base, "policy-params", "reservation-depth", options.reservation_depth));
    std::vector<std::pair<std::string, SchedConfig>> configs;
    for (const std::string& policy : split_policies(options.policies)) {
        if (!find_queue_policy(policy))
            return fail(EINVAL, "--policy: unknown policy '{}'; choose fcfs, easy, conservative or "
                                "hybrid", policy);
        JsonObject one = base;
        set(one, "sched-fluxion-qmanager", "queue-policy", Json(policy));
        SLUICE_TRY(SchedConfig config, SchedConfig::from_config(one));
        configs.emplace_back(policy, std::move(config));
    }
    if (!configs.empty()) return configs;
    SLUICE_TRY(SchedConfig config, SchedConfig::from_config(base));
    if (!config.warnings.empty()) return fail(EINVAL, "{}", config.warnings.front());
    configs.emplace_back(queue_policy_name(config.defaults.policy), std::move(config));
    return configs;
}

Result<GeneratorOptions> make_generator(const SimulateOptions& options) {
    GeneratorOptions generator;
    SLUICE_TRY(generator.jobs, whole_number("generate", options.generate, 1, jobs_max));
    SLUICE_TRY(generator.seed, or_else("seed", options.seed, 1, ~std::uint64_t{0}));
    SLUICE_TRY(const std::uint64_t nodes,
               or_else("nodes", options.nodes, generator.nodes, nodes_max));
    SLUICE_TRY(const std::uint64_t cores,
               or_else("cores-per-node", options.cores_per_node, 1, cores_max));
    if (nodes == 0 || cores == 0) return fail(EINVAL, "--nodes and --cores-per-node must not be 0");
    generator.nodes = static_cast<std::uint32_t>(nodes);
    generator.cores_per_node = static_cast<std::uint32_t>(cores);
    if (!options.days.empty()) {
        SLUICE_TRY(generator.days, real_number("days", options.days, 3650));
    }
    if (!options.load.empty()) {
        SLUICE_TRY(generator.load, real_number("load", options.load, 10));
    }
    return generator;
}

}  // namespace sluice
