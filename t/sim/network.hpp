// The network between the hosts, in place of ZeroMQ (broker/overlay/zsocket.hpp). A connection
// keeps its order, as TCP does; it may be slow, stand still for a while, and break with all that is
// under way on it. What a dealer sends while it has no connection waits for the next one.
#pragma once

#include <cstdint>

#include "t/sim/world.hpp"

namespace sluice::sim {

/// The link between `child` and its parent: nothing passes until `until`.
void cut_link(std::uint32_t child, Time until);
/// Messages take up to `delay` longer until `until`.
void slow_link(std::uint32_t child, Time until, Time delay);
/// The connection breaks; each end notices in its own time.
void break_link(std::uint32_t child);
void heal_network();
/// Forgets all of a run.
void clear_network();

}  // namespace sluice::sim
