// The shortest plan found that still fails (delta debugging over its faults and jobs), and its
// trace.
#pragma once

#include <string>

#include "t/sim/plan.hpp"

namespace sluice::sim {

/// What remains of `plan`, and the last lines of what happens then. Runs it many times.
std::string text_of_shortest(const Plan& plan, const std::string& folder);

}  // namespace sluice::sim
