#include <algorithm>
#include <cmath>

#include "base/rfc/fsd.hpp"
#include "cmd/simulate/workload.hpp"

namespace sluice {
namespace {

constexpr std::int64_t urgency_default = 16, urgency_max = 31;

Result<double> mock_runtime(const Jobspec& jobspec) {
    const Json* value = find_path(jobspec.json, "attributes.system.exec.test.run_duration");
    if (!value) {
        if (jobspec.duration > 0) return jobspec.duration;
        return fail(EINVAL, "neither a runtime, nor a mock run_duration, nor a time limit");
    }
    if (const auto number = as_number(*value)) return *number;
    if (!value->is_string()) return fail(EINVAL, "run_duration: want a duration");
    return fsd_parse(std::string_view{value->get_string()});
}

/// `line` is {"jobspec": …, …}, or the jobspec itself.
Result<SimJob> parse_entry(std::string_view line) {
    SLUICE_TRY(JsonObject object, parse_json_object(line));
    JsonReader in{object};
    const JsonObject* inner = in.maybe_object("jobspec");
    SimJob job;
    std::int64_t urgency = urgency_default;
    double runtime = -1;
    if (inner) {
        job.submit = in.number_or("t_submit", 0);
        runtime = in.number_or("runtime", -1);
        urgency = in.integer_or("urgency", urgency_default);
    }
    if (!in) return in.error();
    SLUICE_TRY(const Jobspec jobspec, Jobspec::from_json(inner ? *inner : object));
    if (runtime < 0) {
        SLUICE_TRY(runtime, mock_runtime(jobspec));
    }
    if (!std::isfinite(runtime) || runtime < 0) return fail(EINVAL, "runtime: {} seconds", runtime);
    if (!std::isfinite(job.submit) || job.submit < 0)
        return fail(EINVAL, "t_submit: {} seconds", job.submit);
    if (urgency < 1 || urgency > urgency_max)
        return fail(EINVAL, "urgency: {} is not between 1 and {}", urgency, urgency_max);
    job.runtime = runtime;
    job.request = AllocRequest::from(JobId{0}, static_cast<std::uint32_t>(urgency), UserId{0},
                                     job.submit, jobspec);
    return job;
}

}  // namespace

bool looks_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

Result<Workload> parse_jobspecs(std::string_view text) {
    Workload workload;
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        auto job = parse_entry(line);
        if (!job) return job.error().in(fmt::format("line {}", line_number));
        job->number = line_number;
        workload.jobs.push_back(*std::move(job));
    }
    std::ranges::stable_sort(workload.jobs, {}, &SimJob::submit);
    return workload;
}

}  // namespace sluice
