// RFC 25 - the resources and tasks of a jobspec from the geometry options (cli.md 2.2).
#pragma once

#include <optional>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/submit_options.hpp"

namespace sluice {

struct Geometry {
    JsonArray resources;
    JsonObject task_count;                   // {"per_slot":1} or {"total":N}
    std::optional<JsonObject> per_resource;  // shell option of that name
};

/// For run, submit and bulksubmit. Errors: EINVAL naming the option.
Result<Geometry> task_geometry(const SubmitOptions& options);
/// For batch and alloc, whose -n counts slots.
Result<Geometry> slot_geometry(const SubmitOptions& options);

}  // namespace sluice
