// Which tasks run on which shell: from R, the jobspec's task count and the taskmap option (RFC 14,
// 25, 34).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/rfc/taskmap.hpp"

namespace sluice::shell {

struct TaskPlan {
    std::uint32_t ntasks = 0;
    Taskmap taskmap;                   // nodeid = shell rank
    std::vector<std::uint32_t> ranks;  // tasks of this shell, ascending; the index is the local id
    friend bool operator==(const TaskPlan&, const TaskPlan&) = default;
};

/// Tasks per shell, before the taskmap option orders them: one task a node and turn while the
/// node has cores for it, so that equal nodes get equal shares.
std::vector<std::uint32_t> tasks_per_shell(const Jobspec& jobspec, const ResourceSet& resources);

/// `value` of the scheme hostfile is the text of that file. Errors: EINVAL naming scheme and value.
Result<TaskPlan> plan_tasks(const Jobspec& jobspec, const ResourceSet& resources,
                            std::uint32_t shell_rank, const std::string& scheme,
                            const std::string& value);

}  // namespace sluice::shell
