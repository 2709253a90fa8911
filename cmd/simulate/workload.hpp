// What `flux simulate` plays: jobs with their time of submission, request, limit and real run time.
// Times are seconds from the begin of the trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sched/types.hpp"

namespace sluice {

struct SimJob {
    std::uint64_t number = 0;  // as in the trace
    double submit = 0;
    double runtime = 0;        // how long it would run without a limit
    AllocRequest request;      // duration is the limit; ids are given by the simulation
};

/// What the header of a trace tells of its machine; 0 when it does not.
struct TraceMachine {
    std::uint64_t nodes = 0, cores = 0;
};

struct Workload {
    std::vector<SimJob> jobs;  // in order of submission
    std::size_t skipped = 0;   // entries that ask for nothing or never ran
    TraceMachine machine;
};

/// How processors of a trace become a request.
struct ProcessorMapping {
    bool whole_nodes = false;
    std::uint32_t cores_per_node = 1;
};

/// Standard Workload Format: lines of 18 numbers, comments begin with ';'.
/// Errors: EINVAL "line 7: what is wrong".
Result<Workload> parse_swf(std::string_view text, const ProcessorMapping& mapping);
/// The MaxNodes and MaxProcs of the header.
TraceMachine swf_machine(std::string_view text);

/// A jobspec a line, as `flux submit --dry-run` prints, or an object {"t_submit": SECONDS,
/// "runtime": SECONDS, "urgency": N, "jobspec": {…}}. Without a runtime that of a mock job counts
/// (attributes.system.exec.test.run_duration), or the time limit.
/// Errors: EINVAL "line 7: what is wrong".
Result<Workload> parse_jobspecs(std::string_view text);

/// Is this a stream of JSON objects rather than a trace?
bool looks_like_json(std::string_view text);

struct GeneratorOptions {
    std::uint64_t jobs = 10000;
    std::uint64_t seed = 1;
    double days = 30;
    double load = 0.9;  // of the machine
    std::uint32_t nodes = 128, cores_per_node = 1;
};
/// A made-up trace in SWF: jobs of powers of two nodes, most of them small and short, more by day
/// than by night, limits that are guessed too long. Equal options, equal text.
std::string generate_swf(const GeneratorOptions& options);

}  // namespace sluice
