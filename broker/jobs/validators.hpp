// What a submission must pass besides being a jobspec: the table [ingest.validator] (plugins
// feasibility and require-instance). Pure; feasibility itself is asked by the service.
#pragma once

#include <cstdint>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/jobspec.hpp"

namespace sluice {

struct Validators {
    bool feasibility = false;
    bool require_instance = false;
    std::int64_t minnodes = 0, mincores = 0;  // smaller jobs need not be instances

    /// From the whole configuration. Errors: EINVAL naming the key.
    static Result<Validators> from_config(const JsonObject& config);
    /// Errors: EINVAL for a job of that size that is not an instance of Flux.
    Result<void> check_instance(const Jobspec& jobspec) const;
};

}  // namespace sluice
