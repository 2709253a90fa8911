#include "cmd/job/job_argument.hpp"

#include "base/rfc/fluid.hpp"

namespace sluice {

Result<JobId> parse_job_argument(const std::string& text) {
    const Result<JobId> id = fluid_decode(text);
    if (!id) return fail(EINVAL, "error parsing jobid: \"{}\"", text);
    return *id;
}

}  // namespace sluice
