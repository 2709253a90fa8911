// Chooses cores and GPUs inside one node: the slots' cores and GPUs stay under the closest common
// socket or NUMA node that has room for a slot.
#pragma once

#include <cstdint>
#include <span>

#include "base/rfc/idset.hpp"
#include "resource/bitmap.hpp"
#include "resource/graph/resource_graph.hpp"
#include "resource/match/match_options.hpp"

namespace sluice {

struct SlotShape {
    std::uint32_t cores = 1, gpus = 0;
};

struct Picked {
    Idset cores, gpus;
    friend bool operator==(const Picked&, const Picked&) = default;
};

/// Takes `slots` slots from what is free. The caller has checked that the node has the room.
Picked pick_slots(const NodeTopology& topology, std::span<const Word> free_cores,
                  std::span<const Word> free_gpus, SlotShape slot, std::uint64_t slots,
                  NodeOrder order);

}  // namespace sluice
