// The machine at its busiest moment: each core in the colour of its job, or each node where there
// are too many cores to see.
#pragma once

#include <string>

#include "cmd/simulate/simulation.hpp"
#include "cmd/simulate/svg.hpp"

namespace sluice {

/// Draws from the upper left corner of `box` on, as wide as it is; returns the height.
double add_core_map(std::string& svg, const Box& box, const SimMachine& machine,
                    const Simulation& simulation);

}  // namespace sluice
