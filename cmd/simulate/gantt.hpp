// Who had which nodes when: a rectangle a job, or, where there are too many to see, how full each
// part of the machine was.
#pragma once

#include <algorithm>
#include <string>

#include "cmd/simulate/simulation.hpp"
#include "cmd/simulate/svg.hpp"

namespace sluice {

/// Seconds from the begin of the trace on a stretch of the page.
struct TimeAxis {
    double first = 0, last = 1;
    double x = 0, width = 1;

    double place(double time) const { return x + (time - first) / (last - first) * width; }
    /// Which of `bins` equal parts holds `time`.
    std::size_t bin(double time, std::size_t bins) const {
        const double part = (time - first) / (last - first);
        return std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, part) *
                                                           static_cast<double>(bins)));
    }
};

void add_gantt(std::string& svg, const Box& box, const Workload& workload,
               const SimMachine& machine, const Simulation& simulation, const TimeAxis& axis);
/// Ticks and times below `box`, whose lower edge is box.y.
void add_time_axis(std::string& svg, const Box& box, const TimeAxis& axis);

}  // namespace sluice
