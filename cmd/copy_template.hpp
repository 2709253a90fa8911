// Copies of a job (--cc, --bcc) that differ in their number alone: the jobspec is built once. Pure.
#pragma once

#include <optional>
#include <string>

#include "cmd/options/fan_out.hpp"
#include "cmd/submission.hpp"

namespace sluice {

class CopyTemplate {
  public:
    /// The request of `job`, if it is as the one remembered but for FLUX_JOB_CC.
    std::optional<SubmitRequest> request_for(const PlannedJob& job) const;
    /// `request` is what build_submit_request made of `job`.
    void remember(const PlannedJob& job, const SubmitRequest& request);

  private:
    PlannedJob job_;
    SubmitRequest request_;
    std::string before_, after_;  // of the number in the jobspec
    bool known_ = false, numbered_ = false;
};

}  // namespace sluice
