// Plays a workload in virtual time through the scheduler itself (SchedCore): who would have run
// where and when under a policy. Pure: no clock, no thread, no files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rfc/resource_set.hpp"
#include "cmd/simulate/workload.hpp"

namespace sluice {

enum class SimEnd : std::uint8_t { completed, timeout, denied, never_started };
std::string_view sim_end_name(SimEnd end);

struct SimResult {
    SimEnd how = SimEnd::never_started;
    double start = 0, end = 0;       // seconds from the begin of the trace
    Idset ranks;
    std::uint64_t cores = 0, gpus = 0;
    bool overtook = false;           // started before one submitted earlier
    std::string note;                // why it was denied
};

/// Step function over time.
struct SimSample {
    double time = 0;
    std::uint64_t busy_cores = 0, waiting = 0;
};

struct Simulation {
    std::string policy;              // as asked for
    std::vector<SimResult> results;  // one for each job of the workload
    std::vector<SimSample> samples;
    /// What was allocated at the busiest moment: job (index into the workload) and R.
    std::vector<std::pair<std::size_t, ResourceSet>> busiest;
    double busiest_at = 0;
    std::uint64_t passes = 0;
};

struct SimMachine {
    ResourceSet R;
    std::uint64_t nodes = 0, cores = 0, gpus = 0;
};

Simulation simulate(const Workload& workload, const SimMachine& machine, std::string policy,
                    SchedConfig config);

}  // namespace sluice
