// A simulation as an SVG picture: for each policy who had which nodes when, how full the machine
// was, how many jobs waited, and the cores at the busiest moment.
#pragma once

#include <span>
#include <string>

#include "cmd/simulate/report.hpp"

namespace sluice {

struct PictureText {
    std::string title, subtitle;
};

std::string simulation_svg(const Workload& workload, const SimMachine& machine,
                           std::span<const SimOutcome> outcomes, const PictureText& text);

}  // namespace sluice
