#include "shell/task_plan.hpp"

#include <algorithm>
#include <charconv>

#include "base/rfc/hostlist.hpp"

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

/// A hostlist a line; tasks take the hosts in turn, from the beginning again when they run out.
Result<Taskmap> hostfile_map(const std::string& text, const ResourceSet& resources,
                             std::uint32_t ntasks) {
    std::vector<std::uint32_t> order;  // nodes
    std::string_view rest = text;
    for (int number = 1; !rest.empty(); ++number) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.empty()) continue;
        const auto hosts = Hostlist::parse(line);
        if (!hosts)
            return hosts.error().in(fmt::format("taskmap: hostfile: line {}", number));
        for (const std::string& host : hosts->hosts()) {
            const auto node =
                std::ranges::find(resources.nodes(), host, &ResourceSet::Node::host);
            if (node == resources.nodes().end())
                return fail(EINVAL, "taskmap: hostfile: line {}: host {} is not one of the job's",
                            number, host);
            order.push_back(static_cast<std::uint32_t>(node - resources.nodes().begin()));
        }
    }
    if (order.empty()) return fail(EINVAL, "taskmap: hostfile: no hosts in it");
    std::vector<Idset> ids_by_node(resources.nodes().size());
    for (std::uint32_t task = 0; task < ntasks; ++task)
        ids_by_node[order[task % order.size()]].insert(task);
    return Taskmap::from_ids(ids_by_node);
}

Result<Taskmap> make_map(const std::vector<std::uint32_t>& counts, const ResourceSet& resources,
                         std::uint32_t ntasks, const std::string& scheme,
                         const std::string& value) {
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
    if (scheme == "hostfile") return hostfile_map(value, resources, ntasks);
    return fail(EINVAL, "taskmap: unknown scheme '{}'; use block, cyclic, hostfile or manual",
                scheme);
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
    SLUICE_TRY(plan.taskmap, make_map(counts, resources, plan.ntasks, scheme, value));
    plan.ranks = plan.taskmap.task_ids(shell_rank).to_vector();
    return plan;
}

}  // namespace sluice::shell
