#include "cmd/simulate/core_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "cmd/simulate/report.hpp"

namespace sluice {
namespace {

constexpr double title_height = 20, height_wanted = 190;
constexpr double core_size_max = 12, core_size_min = 2.5, node_gap = 4, node_size_max = 20;

struct NodeUse {
    std::vector<std::pair<std::size_t, Idset>> jobs;  // index into the workload, cores
};
using Use = std::map<std::uint32_t, NodeUse>;  // by rank

Use use_of(const Simulation& simulation) {
    Use use;
    for (const auto& [index, R] : simulation.busiest)
        for (const ResourceSet::Node& part : R.nodes())
            use[part.rank].jobs.emplace_back(index, part.cores);
    return use;
}

/// Blocks of cores: how large a core may be so that all nodes find room.
struct Blocks {
    std::size_t side = 1, columns = 1, rows = 1;
    double core = 1;
    /// Between nodes; small nodes are set apart by little, or colours drown in white.
    double gap() const {
        return side == 1 ? 0 : std::min(node_gap, 0.4 * static_cast<double>(side) * core);
    }
    double block() const { return static_cast<double>(side) * core + gap(); }
};

Blocks blocks_of(const SimMachine& machine, double width) {
    std::size_t most = 1;
    for (const ResourceSet::Node& node : machine.R.nodes())
        most = std::max(most, node.cores.size());
    Blocks blocks;
    blocks.side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(most))));
    for (blocks.core = core_size_max; blocks.core > 0.4; blocks.core -= 0.5) {
        blocks.columns = std::max<std::size_t>(1, static_cast<std::size_t>(width / blocks.block()));
        blocks.rows = (machine.nodes + blocks.columns - 1) / blocks.columns;
        if (static_cast<double>(blocks.rows) * blocks.block() <= height_wanted) break;
    }
    return blocks;
}

double add_cores(std::string& svg, const Box& box, const SimMachine& machine, const Use& use,
                 const Blocks& blocks) {
    std::size_t place = 0;
    for (const ResourceSet::Node& node : machine.R.nodes()) {
        const double x = box.x + static_cast<double>(place % blocks.columns) * blocks.block();
        const double y = box.y + static_cast<double>(place / blocks.columns) * blocks.block();
        ++place;
        const auto found = use.find(node.rank);
        std::size_t at = 0;
        for (const std::uint32_t core : node.cores) {
            std::string_view colour = idle_fill;
            if (found != use.end())
                for (const auto& [index, cores] : found->second.jobs)
                    if (cores.contains(core)) colour = job_colour(index);
            add_rect(svg,
                     {x + static_cast<double>(at % blocks.side) * blocks.core,
                      y + static_cast<double>(at / blocks.side) * blocks.core, blocks.core - 0.6,
                      blocks.core - 0.6},
                     colour);
            ++at;
        }
    }
    return static_cast<double>(blocks.rows) * blocks.block();
}

/// The job that has most of a node, and how much of the node is in use.
std::pair<std::size_t, double> owner_of(const NodeUse& use, std::size_t cores) {
    std::size_t owner = 0, most = 0, busy = 0;
    for (const auto& [index, part] : use.jobs) {
        busy += part.size();
        if (part.size() <= most) continue;
        most = part.size();
        owner = index;
    }
    return {owner, cores ? static_cast<double>(busy) / static_cast<double>(cores) : 0};
}

double add_nodes(std::string& svg, const Box& box, const SimMachine& machine, const Use& use) {
    const double fits = std::sqrt(box.width * height_wanted / static_cast<double>(machine.nodes));
    const double size = std::clamp(std::floor(fits * 2) / 2, 1.0, node_size_max);
    const auto columns = static_cast<std::size_t>(box.width / size);
    std::size_t place = 0;
    for (const ResourceSet::Node& node : machine.R.nodes()) {
        const double x = box.x + static_cast<double>(place % columns) * size;
        const double y = box.y + static_cast<double>(place / columns) * size;
        ++place;
        const double gap = size >= 4 ? 0.8 : 0.2;
        const Box cell{x, y, size - gap, size - gap};
        const auto found = use.find(node.rank);
        if (found == use.end()) {
            add_rect(svg, cell, idle_fill);
            continue;
        }
        const auto [owner, part] = owner_of(found->second, node.cores.size());
        add_rect(svg, cell, job_colour(owner), 0.35 + 0.65 * part);
    }
    return static_cast<double>((place + columns - 1) / columns) * size;
}

}  // namespace

double add_core_map(std::string& svg, const Box& box, const SimMachine& machine,
                    const Simulation& simulation) {
    std::uint64_t busy = 0;
    for (const auto& [index, R] : simulation.busiest) busy += R.core_count();
    const Blocks blocks = blocks_of(machine, box.width);
    const bool cores = blocks.core >= core_size_min;
    add_text(svg, box.x, box.y - 6,
             fmt::format("each {} at the busiest moment, {} after the begin: {} of {} "
                         "cores in use by {} jobs", cores ? "core" : "node",
                         span_text(simulation.busiest_at), busy, machine.cores,
                         simulation.busiest.size()),
             {.size = 12, .colour = pale_ink});
    const Box below{box.x, box.y + title_height - 14, box.width, 0};
    const Use use = use_of(simulation);
    return title_height + (cores ? add_cores(svg, below, machine, use, blocks)
                                 : add_nodes(svg, below, machine, use));
}

}  // namespace sluice
