// CPU and GPU sets of the tasks of one shell (shell options cpu-affinity and gpu-affinity).
// Sets of CPUs hold the operating system's numbers of processing units; cores are logical numbers
// as in R.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice::shell {

struct AffinityOptions {
    enum class Mode { off, on, per_task, map } mode = Mode::on;
    bool verbose = false, dry_run = false;  // the latter tells too
    std::vector<Idset> map;  // one set a task, used again from the start
    friend bool operator==(const AffinityOptions&, const AffinityOptions&) = default;
};

/// "[verbose,][dry-run,]on|off|per-task|map:LIST"; LIST is sets separated by ";", each "0-3,5" or
/// "0x2f". Errors: EINVAL naming the option's text.
Result<AffinityOptions> parse_affinity(std::string_view option, std::string_view text);

/// The CPU set of each of `ntasks` tasks; empty sets mean "leave as it is".
/// `pus_of_core` is indexed by logical core; `cores` are the job's on this node.
std::vector<Idset> assign_cpus(const AffinityOptions& options, const Idset& cores,
                               const std::vector<Idset>& pus_of_core, std::size_t ntasks);

/// The devices of each task as CUDA_VISIBLE_DEVICES has them: "0,1", or "-1" without GPUs. Empty
/// when the mode is off.
std::vector<std::string> assign_gpus(const AffinityOptions& options, const Idset& gpus,
                                     std::size_t ntasks);

}  // namespace sluice::shell
