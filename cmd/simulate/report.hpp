// The texts of `flux simulate`: a table of policies side by side, rows of jobs, JSON.
#pragma once

#include <span>
#include <string>

#include "base/json.hpp"
#include "cmd/simulate/statistics.hpp"

namespace sluice {

struct SimOutcome {
    Simulation simulation;
    SimStatistics statistics;
};

/// A line a quantity, a column a policy.
std::string comparison_table(std::span<const SimOutcome> outcomes);
/// Comma-separated, with a heading: a line for each job and policy.
std::string job_rows(const Workload& workload, std::span<const SimOutcome> outcomes);
JsonObject simulation_json(const Workload& workload, const SimMachine& machine,
                           std::span<const SimOutcome> outcomes, bool with_jobs);
/// "3.2h", "1.5d": seconds for people.
std::string span_text(double seconds);

}  // namespace sluice
