// Which tasks share a node, read from the keys that a launcher preloads: flux.taskmap (RFC 34) or
// PMI_process_mapping. Kept free of the base library, so that libpmi stays small.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sluice::pmi {

/// Node of each of `size` tasks; nullopt when `mapping` is malformed or does not cover them.
/// Accepts {"version":1,"map":[[nodeid,nnodes,ppn,repeat],…]} and "(vector,(nodeid,nnodes,ppn),…)".
std::optional<std::vector<std::uint32_t>> nodes_of_tasks(std::string_view mapping,
                                                         std::uint32_t size);
/// The tasks on the node of `rank`, ascending.
std::vector<int> clique_of(const std::vector<std::uint32_t>& nodes, std::uint32_t rank);

}  // namespace sluice::pmi
