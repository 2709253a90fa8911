// What job-list answers about a job: named attributes as JSON (wire.md 2.5). Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/jobs/job.hpp"

namespace sluice {

/// A checked list of attribute names; "all" stands for every one.
class JobAttrs {
  public:
    /// Errors: EINVAL "X is not a valid attribute"; EPROTO for a name that is no string.
    static Result<JobAttrs> from_json(const JsonArray& names);
    static JsonArray names();
    /// Appends the id and those attributes that are set, as the text of a JSON object.
    void append(const Job& job, std::string& out) const;

  private:
    std::vector<std::size_t> rows_;
};

}  // namespace sluice
