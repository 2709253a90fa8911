#include "shell/task_plan.hpp"

#include <algorithm>
#include <charconv>

namespace sluice::shell {
namespace {

Result<Taskmap> manual_map(const std::string& value, std::size_t nodes, std::uint32_t ntasks) {
    auto map = Taskmap::parse(value);
    if (!map) return map.error().in("taskmap: manual");
    if (map->task_count() != ntasks)
        return fail(EINVAL, "taskmap: manual: {} tasks in map, {} in job", map->task_count(),
                    ntasks);
    if (map->node_count() > nodes)
        return fail(EINVAL, "taskmap: manual: {} nodes in map, {} in job", map->node_count(),
                    nodes);
    return map;
}

Result<Taskmap> make_map(const std::vector<std::uint32_t>& counts, std::uint32_t ntasks,
                         const std::string& scheme, const std::string& value) {
    if (scheme == "block") return Taskmap::block(counts);
    if (scheme == "cyclic") {
        std::uint32_t stride = 1;
        const char* end = value.data() + value.size();
        const auto [rest, error] = std::from_chars(value.data(), end, stride);
        if (!value.empty() && (error != std::errc{} || rest != end || stride == 0))
            return fail(EINVAL, "taskmap: cyclic: invalid stride '{}'; give a number above 0",
                        value);
        return Taskmap::cyclic(counts, stride);
    }
    if (scheme == "manual") return manual_map(value, counts.size(), ntasks);
    return fail(EINVAL, "taskmap: unknown scheme '{}'; use block, cyclic or manual", scheme);
}

}  // namespace

std::vector<std::uint32_t> tasks_per_shell(const Jobspec& jobspec, const ResourceSet& resources) {
    const auto& nodes = resources.nodes();
    std::vector<std::uint32_t> counts(nodes.size(), 0);
    const std::uint32_t count = jobspec.tasks.count;
    const std::uint32_t cores_per_slot = std::max(jobspec.request.cores_per_slot, 1u);
    if (jobspec.tasks.kind == TaskCount::Kind::per_node) {
        counts.assign(nodes.size(), count);
        return counts;
    }
    if (jobspec.tasks.kind == TaskCount::Kind::per_core) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            counts[i] = count * static_cast<std::uint32_t>(nodes[i].cores.size());
        return counts;
    }
    std::uint32_t left =
        jobspec.task_count(static_cast<std::uint32_t>(nodes.size()), resources.core_count());
    std::vector<std::uint32_t> room;
    for (const auto& node : nodes)
        room.push_back(static_cast<std::uint32_t>(node.cores.size()) / cores_per_slot);
    for (bool any = true; left > 0 && any;) {
        any = false;
        for (std::size_t i = 0; i < nodes.size() && left > 0; ++i) {
            if (counts[i] >= room[i]) continue;
            ++counts[i];
            --left;
            any = true;
        }
    }
    // More tasks than cores allow (tasks.count total over the slots): share them equally.
    for (std::size_t i = 0; left > 0; i = (i + 1) % nodes.size(), --left) ++counts[i];
    return counts;
}

Result<TaskPlan> plan_tasks(const Jobspec& jobspec, const ResourceSet& resources,
                            std::uint32_t shell_rank, const std::string& scheme,
                            const std::string& value) {
    if (resources.empty()) return fail(EINVAL, "R: no nodes");
    const std::vector<std::uint32_t> counts = tasks_per_shell(jobspec, resources);
    TaskPlan plan;
    for (const std::uint32_t count : counts) plan.ntasks += count;
    SLUICE_TRY(plan.taskmap, make_map(counts, plan.ntasks, scheme, value));
    plan.ranks = plan.taskmap.task_ids(shell_rank).to_vector();
    return plan;
}

}  // namespace sluice::shell
