// RFC 14, 25 - jobspec version 1: what a job asks for, decoded for scheduler and shell. The JSON
// itself stays beside it, unknown attributes included.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/constraint.hpp"
#include "base/strong_id.hpp"

namespace sluice {

/// The resource request of RFC 25 with its numbers multiplied out.
struct ResourceRequest {
    std::uint32_t nodes = 0;           // 0: nodes not requested, slots anywhere
    std::uint32_t slots = 1;           // all slots of the job
    std::uint32_t cores_per_slot = 1;
    std::uint32_t gpus_per_slot = 0;
    bool exclusive = false;            // whole nodes
    std::uint32_t slots_per_node() const { return nodes ? slots / nodes : 0; }
    std::uint64_t cores() const { return std::uint64_t{slots} * cores_per_slot; }
    std::uint64_t gpus() const { return std::uint64_t{slots} * gpus_per_slot; }
    friend bool operator==(const ResourceRequest&, const ResourceRequest&) = default;
};

struct TaskCount {
    enum class Kind { per_slot, total, per_node, per_core } kind = Kind::per_slot;
    std::uint32_t count = 1;
    friend bool operator==(const TaskCount&, const TaskCount&) = default;
};

struct Jobspec {
    JsonObject json;                   // the whole document
    ResourceRequest request;
    TaskCount tasks;                   // shell option per-resource already taken in
    std::vector<std::string> command;
    double duration = 0;               // seconds, 0 = unlimited
    std::string cwd, job_name, queue, bank, project;
    Constraint constraint;

    /// Errors: EINVAL in the validator's words ("Missing key (duration)", …).
    static Result<Jobspec> parse(std::string_view text);
    static Result<Jobspec> from_json(JsonObject object);
    /// attributes.system.environment; empty object if there is none.
    const JsonObject& environment() const;
    /// attributes.system.shell.options.<dotted>, or nullptr.
    const Json* shell_option(std::string_view dotted) const;
    /// Tasks the job will have, as job-list reports them (nodes must be known for per_node).
    std::uint32_t task_count(std::uint32_t node_count, std::uint64_t core_count) const;
    /// Job name, or the basename of command[0].
    std::string name() const;
};

/// RFC 15 "J" with mechanism none: header.payload.none (wire.md 2.2).
std::string sign_none(std::string_view jobspec, UserId userid);
struct SignedJobspec {
    std::string jobspec, mechanism;
    UserId userid;
};
/// Errors: EINVAL for a malformed J.
Result<SignedJobspec> unwrap_signed(std::string_view j);

}  // namespace sluice
