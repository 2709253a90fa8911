// RFC 43 - which jobs a listing wants: {"and":[{"userid":[1000]},{"states":[62]}]}. Pure.
#pragma once

#include <functional>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/jobs/job.hpp"

namespace sluice {

class JobFilter {
  public:
    JobFilter() = default;  // every job
    /// Errors: EINVAL naming the operator or value that is not understood; depth over 64.
    static Result<JobFilter> from_json(const Json& constraint);
    bool matches(const Job& job) const { return !test_ || test_(job); }

  private:
    std::function<bool(const Job&)> test_;
};

/// States by bits or by name ("pending", "RUN"). Errors: EINVAL.
Result<unsigned> parse_states(const Json& value);

}  // namespace sluice
