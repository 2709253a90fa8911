#include "broker/jobs/queues.hpp"

#include "base/rfc/constraint.hpp"

namespace sluice {
namespace {

Result<Queue> read_queue(const JsonObject& table, const std::string& where) {
    Queue queue;
    queue.started = false;  // named queues begin stopped
    for (const auto& [key, value] : table) {
        if (key == "policy" && value.is_object()) {
            SLUICE_TRY(queue.policy, JobPolicy::from_config(value.as_object(), where + ".policy"));
            if (!queue.policy.default_queue.empty())
                return fail(EINVAL, "{}.policy: a queue cannot have a default queue", where);
        } else if (key == "requires" && value.is_array()) {
            for (const Json& property : value.as_array()) {
                if (!property.is_string())
                    return fail(EINVAL, "{}.requires: want an array of properties", where);
                std::string_view name{property.as_string()};
                if (name.starts_with('^')) name.remove_prefix(1);
                const auto good = check_property_name(name);
                if (!good) return good.error().in(where + ".requires");
                queue.requires_.emplace_back(property.as_string());
            }
        } else if (key == "parent") {
            // the scheduler's business: see SchedConfig
            if (!value.is_string()) return fail(EINVAL, "{}.parent: want a queue's name", where);
        } else {
            return fail(EINVAL, "{}.{}: unknown key; there are policy, requires and parent", where,
                        std::string_view{key});
        }
    }
    return queue;
}

Error unknown(const std::string& name) {
    return fail(EINVAL, "'{}' is not a valid queue", name);
}

/// The job's own constraints and the properties that its queue requires.
Json combine_constraints(const Json* constraints, const std::vector<std::string>& properties) {
    JsonArray names;
    for (const std::string& property : properties) names.emplace_back(property);
    JsonObject required;
    required["properties"] = std::move(names);
    if (!constraints || !constraints->is_object() || constraints->as_object().empty())
        return required;
    JsonArray both;
    both.emplace_back(*constraints);
    both.emplace_back(std::move(required));
    JsonObject combined;
    combined["and"] = std::move(both);
    return combined;
}

/// A virtual queue (RFC 33) requires what its parent does, and has its limits where it sets none.
Result<void> inherit(const JsonObject& tables, std::map<std::string, Queue>& queues) {
    for (const auto& [key, table] : tables) {
        const Json* value = table.get_object().if_contains("parent");
        if (!value) continue;
        const std::string name{key}, parent{value->get_string()};
        const auto found = queues.find(parent);
        if (found == queues.end() || tables.at(parent).get_object().contains("parent"))
            return fail(EINVAL, "queues.{}.parent: {} is no queue, or a virtual one itself; name a "
                                "queue without parent", name, parent);
        Queue& queue = queues.at(name);
        if (!queue.requires_.empty())
            return fail(EINVAL, "queues.{}.requires: a virtual queue has that of its parent; "
                                "remove the key", name);
        queue.requires_ = found->second.requires_;
        queue.policy = found->second.policy.with(queue.policy);
    }
    return {};
}

}  // namespace

Result<Queues> Queues::from_config(const JsonObject& config) {
    Queues queues;
    if (const auto policy = config.if_contains("policy")) {
        if (!policy->is_object()) return fail(EINVAL, "policy: want a table");
        SLUICE_TRY(queues.policy_, JobPolicy::from_config(policy->as_object(), "policy"));
    }
    const Json* tables = config.if_contains("queues");
    if (tables && !tables->is_object()) return fail(EINVAL, "queues: want a table");
    if (tables && !tables->as_object().empty()) {
        queues.queues_.clear();
        for (const auto& [name, table] : tables->as_object()) {
            const std::string where = "queues." + std::string{name};
            if (!table.is_object()) return fail(EINVAL, "{}: want a table", where);
            SLUICE_TRY(queues.queues_[std::string{name}], read_queue(table.as_object(), where));
        }
        SLUICE_CHECK(inherit(tables->as_object(), queues.queues_));
    }
    const std::string& fallback = queues.policy_.default_queue;
    if (!fallback.empty() && !queues.queues_.contains(fallback))
        return fail(EINVAL, "policy.jobspec.defaults.system.queue: "
                            "default queue {} that is not in [queues] table", fallback);
    return queues;
}

Result<void> Queues::reconfigure(const JsonObject& config) {
    SLUICE_TRY(Queues next, from_config(config));
    next.restore(checkpoint());
    *this = std::move(next);
    return {};
}

std::vector<std::string> Queues::names() const {
    std::vector<std::string> names;
    if (named())
        for (const auto& [name, queue] : queues_) names.push_back(name);
    return names;
}

const Queue* Queues::find(const std::string& name) const {
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : &found->second;
}

bool Queues::started(const std::string& name) const {
    const Queue* queue = find(name);
    return queue && queue->started;
}

Result<JsonObject> Queues::status(const std::optional<std::string>& name) const {
    const Queue* queue = find(name.value_or(""));
    if (!queue && !name) return fail(EINVAL, "Named queues are defined. Specify a queue.");
    if (!queue || (name && name->empty())) return unknown(*name);
    JsonObject status{{"enable", queue->enabled}, {"start", queue->started}};
    if (!queue->enabled) status["disable_reason"] = queue->disable_reason;
    if (!queue->started && !queue->stop_reason.empty()) status["stop_reason"] = queue->stop_reason;
    return status;
}

Result<std::vector<Queue*>> Queues::select(const Change& change) {
    std::vector<Queue*> selected;
    if (change.name) {
        const auto found = queues_.find(*change.name);
        if (found == queues_.end() || change.name->empty()) return unknown(*change.name);
        selected.push_back(&found->second);
        return selected;
    }
    if (named() && !change.all)
        return fail(EINVAL, "Use --all to apply this command to all queues");
    for (auto& [name, queue] : queues_) selected.push_back(&queue);
    return selected;
}

Result<void> Queues::enable(const Change& change) {
    if (!change.on && change.reason.empty())
        return fail(EINVAL, "a reason is required to disable a queue");
    SLUICE_TRY(const auto selected, select(change));
    for (Queue* queue : selected) {
        queue->enabled = change.on;
        queue->disable_reason = change.on ? "" : change.reason;
    }
    return {};
}

Result<void> Queues::start(const Change& change) {
    SLUICE_TRY(const auto selected, select(change));
    for (Queue* queue : selected) {
        queue->started = change.on;
        queue->stop_reason = change.on ? "" : change.reason;
    }
    return {};
}

void Queues::stop_started(const std::string& reason) {
    for (auto& [name, queue] : queues_)
        if (std::exchange(queue.started, false)) queue.stop_reason = reason;
}

JsonObject Queues::checkpoint() const {
    JsonObject all;
    for (const auto& [name, queue] : queues_)
        all[name] = JsonObject{{"enabled", queue.enabled},
                               {"disable_reason", queue.disable_reason},
                               {"started", queue.started},
                               {"stop_reason", queue.stop_reason}};
    return all;
}

void Queues::restore(const JsonObject& checkpoint) {
    for (const auto& [name, value] : checkpoint) {
        const auto found = queues_.find(std::string{name});
        if (found == queues_.end() || !value.is_object()) continue;
        JsonReader in{value.as_object()};
        Queue& queue = found->second;
        queue.enabled = in.boolean_or("enabled", true);
        queue.disable_reason = in.string_or("disable_reason", "");
        queue.started = in.boolean_or("started", true);
        queue.stop_reason = in.string_or("stop_reason", "");
    }
}

Result<JsonObject> Queues::defaults_for(const std::string& queue_name, double duration,
                                        const Json* constraints) const {
    JsonObject updates;
    std::string name = queue_name;
    if (name.empty() && named()) {
        name = policy_.default_queue;
        if (name.empty()) return fail(EPERM, "no queue specified");
        updates["attributes.system.queue"] = name;
    }
    const Queue* queue = find(name);
    if (!queue && !named()) return unknown(name);
    if (!queue) return fail(EPERM, "Invalid queue '{}' specified", name);
    const JobPolicy policy = policy_.with(queue->policy);
    if (duration <= 0 && policy.default_duration.value_or(0) > 0)
        updates["attributes.system.duration"] = *policy.default_duration;
    if (!queue->requires_.empty())
        updates["attributes.system.constraints"] =
            combine_constraints(constraints, queue->requires_);
    return updates;
}

Result<void> Queues::admit(const std::string& name, const Jobspec& jobspec) const {
    const Queue* queue = find(name);
    if (!queue) return unknown(name);
    if (!queue->enabled) {
        if (name.empty())
            return fail(EINVAL, "job submission is disabled: {}", queue->disable_reason);
        return fail(EINVAL, "job submission to {} is disabled: {}", name, queue->disable_reason);
    }
    return check_limits(policy_, &queue->policy, name, jobspec);
}

}  // namespace sluice
