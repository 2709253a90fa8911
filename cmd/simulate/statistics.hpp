// What a simulation amounts to: utilisation, waiting, slowdown.
#pragma once

#include <cstddef>
#include <vector>

#include "cmd/simulate/simulation.hpp"

namespace sluice {

/// Of one quantity over all jobs that ran.
struct Distribution {
    double mean = 0, median = 0, p95 = 0, max = 0;
};
Distribution distribution_of(std::vector<double> values);

struct SimStatistics {
    std::size_t jobs = 0, ran = 0, denied = 0, never_started = 0, timed_out = 0, overtook = 0;
    double makespan = 0;     // from the first submission to the last end, seconds
    double utilisation = 0;  // core seconds used of those there were in the makespan, 0 to 1
    double waiting_mean = 0; // jobs that wait, over time
    std::size_t waiting_max = 0;
    Distribution wait;       // seconds from submission to start
    Distribution slowdown;   // (wait + run) / run
    /// The same with runs shorter than ten seconds counted as ten (Feitelson), at least 1.
    Distribution bounded_slowdown;
};

SimStatistics statistics_of(const Workload& workload, const SimMachine& machine,
                            const Simulation& simulation);

}  // namespace sluice
