#include "cmd/options/geometry.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace sluice {
namespace {

using Count = std::int64_t;

/// The count given for an option, if it was.
Result<std::optional<Count>> count_of(const SubmitOptions& options, std::string_view name) {
    const std::optional<std::string> text = options.last(name);
    if (!text) return std::optional<Count>{};
    Count value = 0;
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        return fail(EINVAL, "--{}: invalid int value '{}'", name, *text);
    return std::optional<Count>{value};
}

Result<void> check_least(std::string_view what, const std::optional<Count>& count, Count least) {
    if (!count || *count >= least) return {};
    return fail(EINVAL, "{} must be an integer >= {}, found {}", what, least, *count);
}

struct SlotShape {
    Count slots = 1, cores = 1, gpus = 0;
};

JsonObject slot_vertex(const SlotShape& shape) {
    JsonArray leaves;
    leaves.push_back(JsonObject{{"type", "core"}, {"count", shape.cores}});
    if (shape.gpus > 0) leaves.push_back(JsonObject{{"type", "gpu"}, {"count", shape.gpus}});
    JsonObject slot;
    slot["type"] = "slot";
    slot["count"] = shape.slots;
    slot["with"] = std::move(leaves);
    slot["label"] = "task";
    return slot;
}

/// `nodes` 0: slots anywhere.
JsonArray resource_vertices(Count nodes, bool exclusive, const SlotShape& shape) {
    JsonArray resources;
    if (nodes == 0) {
        resources.push_back(slot_vertex(shape));
        return resources;
    }
    JsonObject node;
    node["type"] = "node";
    node["count"] = nodes;
    if (exclusive) node["exclusive"] = true;
    JsonArray inside;
    inside.push_back(slot_vertex(shape));
    node["with"] = std::move(inside);
    resources.push_back(std::move(node));
    return resources;
}

JsonObject per_slot() {
    JsonObject count;
    count["per_slot"] = 1;
    return count;
}

struct PerTask {
    std::optional<Count> nodes, tasks, cores, gpus;
};

Result<PerTask> read_per_task(const SubmitOptions& options) {
    PerTask found;
    SLUICE_TRY(found.nodes, count_of(options, "nodes"));
    SLUICE_TRY(found.tasks, count_of(options, "ntasks"));
    SLUICE_TRY(found.cores, count_of(options, "cores-per-task"));
    SLUICE_TRY(found.gpus, count_of(options, "gpus-per-task"));
    // A count of zero means the default, as in the reference.
    SLUICE_CHECK(check_least("node count", found.nodes, 1));
    SLUICE_CHECK(check_least("task count", found.tasks, 0));
    SLUICE_CHECK(check_least("cores per task", found.cores, 0));
    SLUICE_CHECK(check_least("gpus per task", found.gpus, 0));
    return found;
}

/// `what` is "task" or "slot", for messages.
Result<Geometry> per_task(const PerTask& given, bool exclusive, std::string_view what) {
    const Count nodes = given.nodes.value_or(0);
    if (exclusive && !nodes) return fail(EINVAL, "exclusive can only be set with a node count");
    const Count tasks = given.tasks ? std::max<Count>(*given.tasks, 1) : std::max<Count>(nodes, 1);
    if (nodes > tasks) return fail(EINVAL, "node count must not be greater than {} count", what);
    Geometry geometry;
    geometry.task_count = per_slot();
    SlotShape shape{.slots = tasks,
                    .cores = std::max<Count>(given.cores.value_or(1), 1),
                    .gpus = given.gpus.value_or(0)};
    if (nodes) {
        shape.slots = (tasks + nodes - 1) / nodes;
        if (tasks % nodes) {
            geometry.task_count.clear();
            geometry.task_count["total"] = tasks;
        }
    }
    geometry.resources = resource_vertices(nodes, exclusive || !given.tasks, shape);
    return geometry;
}

struct PerResource {
    std::optional<Count> nodes, cores, tasks_per_node, tasks_per_core, gpus_per_node;
};

Result<PerResource> read_per_resource(const SubmitOptions& options) {
    PerResource found;
    SLUICE_TRY(found.nodes, count_of(options, "nodes"));
    SLUICE_TRY(found.cores, count_of(options, "cores"));
    SLUICE_TRY(found.tasks_per_node, count_of(options, "tasks-per-node"));
    SLUICE_TRY(found.tasks_per_core, count_of(options, "tasks-per-core"));
    SLUICE_TRY(found.gpus_per_node, count_of(options, "gpus-per-node"));
    if (found.tasks_per_node && found.tasks_per_core)
        return fail(EINVAL, "Do not specify both the number of tasks per node and per core");
    const std::pair<std::string_view, std::optional<Count>> positive[] = {
        {"tasks-per-node", found.tasks_per_node},
        {"tasks-per-core", found.tasks_per_core},
    };
    for (const auto& [name, count] : positive)
        if (count && *count < 1) return fail(EINVAL, "--{} must be >= 1, found {}", name, *count);
    SLUICE_CHECK(check_least("nnodes", found.nodes, 1));
    SLUICE_CHECK(check_least("ncores", found.cores, 1));
    SLUICE_CHECK(check_least("gpus_per_node", found.gpus_per_node, 0));
    if (found.gpus_per_node && !found.nodes)
        return fail(EINVAL, "--gpus-per-node requires --nodes");
    if (!found.nodes && !found.cores)
        return fail(EINVAL, "must specify node or core count with per_resource");
    return found;
}

std::optional<JsonObject> per_resource_option(const PerResource& given) {
    if (!given.tasks_per_node && !given.tasks_per_core) return std::nullopt;
    JsonObject option;
    option["type"] = given.tasks_per_node ? "node" : "core";
    option["count"] = given.tasks_per_node ? *given.tasks_per_node : *given.tasks_per_core;
    return option;
}

Result<Geometry> per_resource(const PerResource& given, bool exclusive) {
    Geometry geometry;
    geometry.task_count = per_slot();
    geometry.per_resource = per_resource_option(given);
    if (!given.nodes) {
        if (exclusive) return fail(EINVAL, "exclusive can only be set with a node count");
        geometry.resources = resource_vertices(0, false, SlotShape{.slots = *given.cores});
        return geometry;
    }
    SlotShape shape{.gpus = given.gpus_per_node.value_or(0)};
    if (given.cores) {
        if (*given.cores < *given.nodes)
            return fail(EINVAL, "number of cores cannot be less than nnodes: {} cores, {} nodes",
                        *given.cores, *given.nodes);
        if (*given.cores % *given.nodes)
            return fail(EINVAL,
                        "number of cores must be evenly divisible by node count: {} cores, "
                        "{} nodes",
                        *given.cores, *given.nodes);
        shape.cores = *given.cores / *given.nodes;
    }
    geometry.resources = resource_vertices(*given.nodes, exclusive || !given.cores, shape);
    return geometry;
}

}  // namespace

Result<Geometry> task_geometry(const SubmitOptions& options) {
    const auto given = [&](std::initializer_list<std::string_view> names) {
        return std::ranges::any_of(names,
                                   [&](auto name) { return options.last(name).has_value(); });
    };
    if (given({"cores", "tasks-per-node", "tasks-per-core", "gpus-per-node"})) {
        if (given({"ntasks", "cores-per-task", "gpus-per-task"}))
            return fail(EINVAL,
                        "Per-resource options can't be used with per-task options. "
                        "(See --help for details)");
        SLUICE_TRY(const PerResource found, read_per_resource(options));
        return per_resource(found, options.exclusive);
    }
    SLUICE_TRY(const PerTask found, read_per_task(options));
    return per_task(found, options.exclusive, "task");
}

Result<Geometry> slot_geometry(const SubmitOptions& options) {
    SLUICE_TRY(const PerTask found, read_per_task(options));
    if (!found.tasks && !found.nodes)
        return fail(EINVAL, "Number of slots to allocate must be specified");
    return per_task(found, options.exclusive, "slot");
}

}  // namespace sluice
