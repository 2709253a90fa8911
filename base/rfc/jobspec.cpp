// RFC 14, 25 - see jobspec.hpp.
#include "base/rfc/jobspec.hpp"

#include <limits>

#include "base/base64.hpp"
#include "base/rfc/group_types.hpp"
#include "base/rfc/signed_jobspec.hpp"

namespace sluice {
namespace {

constexpr std::int64_t count_max = std::numeric_limits<std::int32_t>::max();

// The validator's texts reach users as they are; they carry no prefix.

Result<const Json*> require(const JsonObject& object, std::string_view key) {
    if (const Json* value = object.if_contains(key)) return value;
    return fail(EINVAL, "Missing key ({})", key);
}

Error wrong_type(std::string_view what, std::string_view wanted, const Json& found) {
    return fail(EINVAL, "{} must be {}, found {}", what, wanted, json_type_name(found));
}

Result<const JsonObject*> require_object(const JsonObject& object, std::string_view key) {
    SLUICE_TRY(const Json* value, require(object, key));
    if (!value->is_object()) return wrong_type(key, "an object", *value);
    return &value->get_object();
}

/// The only element of a list that version 1 limits to one.
Result<const JsonObject*> require_single(const JsonObject& object, std::string_view key) {
    SLUICE_TRY(const Json* value, require(object, key));
    if (!value->is_array()) return wrong_type(key, "an array", *value);
    const JsonArray& items = value->get_array();
    if (items.size() != 1)
        return fail(EINVAL, "{} must have exactly one entry in version 1, found {}", key,
                    items.size());
    if (!items[0].is_object()) return wrong_type(key, "an array of objects", items[0]);
    return &items[0].get_object();
}

Result<std::uint32_t> read_count(std::string_view what, const Json& value) {
    const auto count = as_integer(value);
    if (!count) return wrong_type(what, "an integer", value);
    if (*count < 1 || *count > count_max)
        return fail(EINVAL, "{} must be 1 to {}, found {}", what, count_max, *count);
    return static_cast<std::uint32_t>(*count);
}

Result<std::string> read_string(std::string_view what, const Json* value) {
    if (!value) return std::string{};
    if (!value->is_string()) return wrong_type(what, "a string", *value);
    return std::string{value->get_string()};
}

/// One resource vertex: {"type":s,"count":i,"with"?:[…],"label"?:s,"exclusive"?:b,"unit"?:s}.
struct Vertex {
    std::string_view type, label;
    std::uint32_t count = 1;
    const JsonArray* with = nullptr;
    bool exclusive = false;
};

Result<Vertex> read_vertex(const JsonObject& object) {
    Vertex vertex;
    SLUICE_TRY(const Json* type, require(object, "type"));
    if (!type->is_string()) return wrong_type("resource type", "a string", *type);
    vertex.type = type->get_string();
    SLUICE_TRY(const Json* count, require(object, "count"));
    SLUICE_TRY(vertex.count, read_count(fmt::format("{} count", vertex.type), *count));
    for (const auto& member : object) {
        const std::string_view key = member.key();
        const Json& value = member.value();
        if (key == "with") {
            if (!value.is_array()) return wrong_type("with", "an array", value);
            vertex.with = &value.get_array();
        } else if (key == "label") {
            if (!value.is_string()) return wrong_type("label", "a string", value);
            vertex.label = value.get_string();
        } else if (key == "exclusive") {
            if (!value.is_bool()) return wrong_type("exclusive", "a boolean", value);
            vertex.exclusive = value.get_bool();
        } else if (key != "type" && key != "count" && key != "unit") {
            return fail(EINVAL, "Extraneous key ({}) in resource {}", key, vertex.type);
        }
    }
    return vertex;
}

Result<Vertex> read_child(const Json& value) {
    if (!value.is_object()) return wrong_type("with", "an array of objects", value);
    return read_vertex(value.get_object());
}

/// A slot's children: core, and gpu if wanted.
Result<void> read_slot_children(const Vertex& slot, ResourceRequest& request) {
    if (!slot.with) return fail(EINVAL, "Missing key (with)");
    request.cores_per_slot = 0;
    for (const Json& item : *slot.with) {
        SLUICE_TRY(const Vertex child, read_child(item));
        if (child.with) return fail(EINVAL, "resource {}: no children allowed", child.type);
        std::uint32_t* const count = child.type == "core"  ? &request.cores_per_slot
                                     : child.type == "gpu" ? &request.gpus_per_slot
                                                           : nullptr;
        if (!count)
            return fail(EINVAL, "Unsupported resource type '{}'; a slot holds core and gpu",
                        child.type);
        if (*count) return fail(EINVAL, "resource {} given twice in a slot", child.type);
        *count = child.count;
    }
    if (request.cores_per_slot == 0) return fail(EINVAL, "slot must contain core");
    return {};
}

Result<void> check_total(std::string_view what, std::uint64_t a, std::uint64_t b) {
    if (a * b <= static_cast<std::uint64_t>(count_max)) return {};
    return fail(EINVAL, "{} of {} times {} is over {}", what, a, b, count_max);
}

/// Slots, cores and GPUs of the resource tree; the slot's label goes to `label`.
Result<ResourceRequest> read_resources(const JsonObject& jobspec, std::string_view& label) {
    SLUICE_TRY(const JsonObject* top, require_single(jobspec, "resources"));
    SLUICE_TRY(Vertex slot, read_vertex(*top));
    ResourceRequest request;
    std::uint32_t groups = 1;
    if (is_group_type(slot.type)) {
        groups = slot.count;
        if (slot.exclusive)
            return fail(EINVAL, "exclusive is for a node or a slot, not for a {}", slot.type);
        if (!slot.with || slot.with->size() != 1)
            return fail(EINVAL, "{} must contain exactly one resource, a node or a slot",
                        slot.type);
        SLUICE_TRY(slot, read_child(slot.with->front()));
    }
    if (slot.type == "node") {
        SLUICE_CHECK(check_total("node count", groups, slot.count));
        request.nodes = slot.count * groups;
        groups = 1;
        request.exclusive = slot.exclusive;
        if (!slot.with || slot.with->size() != 1)
            return fail(EINVAL, "node must contain exactly one resource, a slot");
        SLUICE_TRY(slot, read_child(slot.with->front()));
    }
    if (slot.type != "slot")
        return fail(EINVAL, "Unsupported resource type '{}'; version 1 has slot or node > slot",
                    slot.type);
    const std::uint32_t parts = std::max(request.nodes, groups);
    SLUICE_CHECK(check_total("slot count", slot.count, parts));
    request.slots = slot.count * parts;
    SLUICE_CHECK(read_slot_children(slot, request));
    SLUICE_CHECK(check_total("core count", request.slots, request.cores_per_slot));
    SLUICE_CHECK(check_total("gpu count", request.slots, request.gpus_per_slot));
    request.exclusive |= slot.exclusive && request.nodes > 0;
    label = slot.label;
    return request;
}

Result<TaskCount> read_per_resource(std::string_view what, const Json& value) {
    if (!value.is_object()) return wrong_type(what, "an object", value);
    const JsonObject& object = value.get_object();
    SLUICE_TRY(const Json* type, require(object, "type"));
    SLUICE_TRY(const std::string name, read_string("per-resource type", type));
    TaskCount tasks;
    if (name == "node") {
        tasks.kind = TaskCount::Kind::per_node;
    } else if (name == "core") {
        tasks.kind = TaskCount::Kind::per_core;
    } else {
        return fail(EINVAL, "{}: unknown type '{}'; use node or core", what, name);
    }
    if (const Json* count = object.if_contains("count")) {
        SLUICE_TRY(tasks.count, read_count("per-resource count", *count));
    }
    return tasks;
}

Result<TaskCount> read_task_count(const JsonObject& task) {
    SLUICE_TRY(const JsonObject* count, require_object(task, "count"));
    if (count->size() != 1)
        return fail(EINVAL, "task count must have exactly one key, found {}", count->size());
    const auto& member = *count->begin();
    const std::string_view key = member.key();
    if (key == "per_resource") return read_per_resource("per_resource", member.value());
    TaskCount tasks;
    if (key == "total") {
        tasks.kind = TaskCount::Kind::total;
    } else if (key != "per_slot") {
        return fail(EINVAL, "Extraneous key ({}) in task count", key);
    }
    SLUICE_TRY(tasks.count, read_count(key, member.value()));
    return tasks;
}

Result<std::vector<std::string>> read_command(const JsonObject& task) {
    SLUICE_TRY(const Json* value, require(task, "command"));
    if (!value->is_array()) return wrong_type("command", "an array", *value);
    std::vector<std::string> command;
    command.reserve(value->get_array().size());
    for (const Json& word : value->get_array()) {
        if (!word.is_string()) return wrong_type("command", "an array of strings", word);
        command.emplace_back(word.get_string());
    }
    if (command.empty()) return fail(EINVAL, "command must have at least one word");
    return command;
}

Result<void> read_tasks(Jobspec& jobspec, std::string_view label) {
    SLUICE_TRY(const JsonObject* task, require_single(jobspec.json, "tasks"));
    SLUICE_TRY(jobspec.command, read_command(*task));
    SLUICE_TRY(const Json* slot, require(*task, "slot"));
    SLUICE_TRY(const std::string slot_name, read_string("task slot", slot));
    if (slot_name != label)
        return fail(EINVAL, "task slot '{}' is not the label of the resource slot, '{}'", slot_name,
                    label);
    SLUICE_TRY(jobspec.tasks, read_task_count(*task));
    if (const Json* option = jobspec.shell_option("per-resource")) {
        SLUICE_TRY(jobspec.tasks, read_per_resource("per-resource", *option));
    }
    return {};
}

Result<void> check_object_at(const JsonObject& system, std::string_view dotted) {
    const Json* value = find_path(system, dotted);
    if (value && !value->is_object()) return wrong_type(dotted, "an object", *value);
    return {};
}

Result<void> read_system(const JsonObject& system, Jobspec& jobspec) {
    SLUICE_TRY(const Json* duration, require(system, "duration"));
    const auto seconds = as_number(*duration);
    if (!seconds) return wrong_type("duration", "a number", *duration);
    if (*seconds < 0) return fail(EINVAL, "duration must be at least 0, found {}", *seconds);
    jobspec.duration = *seconds;
    for (const std::string_view key : {"environment", "shell", "shell.options"})
        SLUICE_CHECK(check_object_at(system, key));
    SLUICE_TRY(jobspec.cwd, read_string("cwd", system.if_contains("cwd")));
    SLUICE_TRY(jobspec.job_name, read_string("job.name", find_path(system, "job.name")));
    SLUICE_TRY(jobspec.queue, read_string("queue", system.if_contains("queue")));
    SLUICE_TRY(jobspec.bank, read_string("bank", system.if_contains("bank")));
    SLUICE_TRY(jobspec.project, read_string("project", system.if_contains("project")));
    if (const Json* constraints = system.if_contains("constraints")) {
        SLUICE_TRY(jobspec.constraint, Constraint::from_json(*constraints));
    }
    return {};
}

}  // namespace

Result<Jobspec> Jobspec::parse(std::string_view text) {
    auto object = parse_json_object(text);
    if (!object) return fail(EINVAL, "jobspec: invalid JSON: {}", object.error().text());
    return from_json(*std::move(object));
}

Result<Jobspec> Jobspec::from_json(JsonObject object) {
    Jobspec jobspec;
    jobspec.json = std::move(object);
    SLUICE_TRY(const JsonObject* attributes, require_object(jobspec.json, "attributes"));
    SLUICE_TRY(const Json* version, require(jobspec.json, "version"));
    if (as_integer(*version) != 1)
        return fail(EINVAL, "jobspec version must be 1, found {}", dump_json(*version));
    SLUICE_TRY(const JsonObject* system, require_object(*attributes, "system"));
    SLUICE_CHECK(read_system(*system, jobspec));
    std::string_view label;
    SLUICE_TRY(jobspec.request, read_resources(jobspec.json, label));
    SLUICE_CHECK(read_tasks(jobspec, label));
    return jobspec;
}

const JsonObject& Jobspec::environment() const {
    static const JsonObject empty;
    const Json* value = find_path(json, "attributes.system.environment");
    return value && value->is_object() ? value->get_object() : empty;
}

const Json* Jobspec::shell_option(std::string_view dotted) const {
    const Json* options = find_path(json, "attributes.system.shell.options");
    return options ? find_path(*options, dotted) : nullptr;
}

std::uint32_t Jobspec::task_count(std::uint32_t node_count, std::uint64_t core_count) const {
    std::uint64_t count = tasks.count;
    switch (tasks.kind) {
        case TaskCount::Kind::per_slot: count *= request.slots; break;
        case TaskCount::Kind::per_node: count *= node_count; break;
        case TaskCount::Kind::per_core: count *= core_count; break;
        case TaskCount::Kind::total: break;
    }
    return static_cast<std::uint32_t>(std::min(count, static_cast<std::uint64_t>(count_max)));
}

std::string Jobspec::name() const {
    if (!job_name.empty() || command.empty()) return job_name;
    return command[0].substr(command[0].rfind('/') + 1);
}

Result<SignedJobspec> unwrap_signed(std::string_view j) {
    SLUICE_TRY(const SignedParts parts, split_signed(j));
    SLUICE_TRY(SignedHeader header, read_signed_header(parts.header));
    auto jobspec = base64_decode(parts.payload);
    if (!jobspec) return jobspec.error().in("J: payload");
    if (header.mechanism == "none" && parts.signature != "none")
        return fail(EINVAL, "J: signature of mechanism none must be 'none'");
    return SignedJobspec{*std::move(jobspec), std::move(header.mechanism), header.userid};
}

}  // namespace sluice
