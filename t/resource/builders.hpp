// Short ways to say resource sets and requests in tests.
#pragma once

#include <string>

#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"

namespace sluice::test {

/// `nodes` nodes "n0", "n1", … alike.
inline ResourceSet cluster(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus = 0) {
    ResourceSet R;
    for (std::uint32_t rank = 0; rank < nodes; ++rank)
        R.add({rank, "n" + std::to_string(rank), Idset::range(0, cores - 1),
               gpus ? Idset::range(0, gpus - 1) : Idset{}});
    return R;
}

inline ResourceSet piece(std::uint32_t rank, Idset cores, Idset gpus = {}) {
    ResourceSet R;
    R.add({rank, "n" + std::to_string(rank), std::move(cores), std::move(gpus)});
    return R;
}

inline ResourceRequest nodes(std::uint32_t nodes, std::uint32_t slots, std::uint32_t cores = 1,
                             std::uint32_t gpus = 0) {
    return {nodes, slots, cores, gpus, false};
}
inline ResourceRequest slots(std::uint32_t slots, std::uint32_t cores = 1,
                             std::uint32_t gpus = 0) {
    return {0, slots, cores, gpus, false};
}
inline ResourceRequest whole_nodes(std::uint32_t nodes) { return {nodes, nodes, 1, 0, true}; }

inline Constraint constraint(std::string_view json) {
    return *Constraint::from_json(*parse_json(json));
}

}  // namespace sluice::test
