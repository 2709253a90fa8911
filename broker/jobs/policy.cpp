#include "broker/jobs/policy.hpp"

#include <algorithm>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

Error wrong(std::string_view where, std::string_view key, std::string_view problem) {
    return fail(EINVAL, "{}.{}: {}", where, key, problem);
}

Result<double> duration_of(const Json& value, std::string_view where, std::string_view key) {
    if (!value.is_string()) return wrong(where, key, "want a duration such as \"1h\"");
    const std::string_view text = value.as_string();
    const auto seconds = fsd_parse(text);
    if (!seconds) return seconds.error().in(fmt::format("{}.{}: '{}'", where, key, text));
    return *seconds;
}

Result<SizeLimits> sizes_of(const Json& value, const std::string& where) {
    SizeLimits limits;
    if (!value.is_object()) return fail(EINVAL, "{}: want a table", where);
    for (const auto& [key, number] : value.as_object()) {
        const auto count = as_integer(number);
        if (!count || *count < -1)
            return wrong(where, key, "want a count, or -1 for unlimited");
        if (key == "nnodes") limits.nnodes = *count;
        else if (key == "ncores") limits.ncores = *count;
        else if (key == "ngpus") limits.ngpus = *count;
        else return wrong(where, key, "unknown key; there are nnodes, ncores and ngpus");
    }
    return limits;
}

Result<void> read_limits(JobPolicy& policy, const JsonObject& table, const std::string& where) {
    for (const auto& [key, value] : table) {
        if (key == "duration") {
            SLUICE_TRY(policy.limit_duration, duration_of(value, where, key));
        } else if (key == "job-size" && value.is_object()) {
            for (const auto& [bound, sizes] : value.as_object()) {
                const std::string name = where + ".job-size." + std::string{bound};
                if (bound != "max" && bound != "min")
                    return fail(EINVAL, "{}: unknown key; there are max and min", name);
                SLUICE_TRY((bound == "max" ? policy.max : policy.min), sizes_of(sizes, name));
            }
        } else {
            return wrong(where, key, "unknown key; there are duration and the table job-size");
        }
    }
    return {};
}

/// The table `key`, which is all that `table` may hold; null when it is not there.
Result<const JsonObject*> only_member(const JsonObject& table, std::string_view key,
                                      const std::string& where) {
    for (const auto& [name, value] : table) {
        if (name != key) return wrong(where, name, fmt::format("unknown key; there is {}", key));
        if (!value.is_object()) return wrong(where, name, "want a table");
        return &value.get_object();
    }
    return nullptr;
}

Result<void> read_defaults(JobPolicy& policy, const JsonObject& table, const std::string& where) {
    SLUICE_TRY(const JsonObject* defaults, only_member(table, "defaults", where));
    if (!defaults) return {};
    SLUICE_TRY(const JsonObject* system, only_member(*defaults, "system", where + ".defaults"));
    if (!system) return {};
    const std::string name = where + ".defaults.system";
    for (const auto& [key, value] : *system) {
        if (key == "duration") {
            SLUICE_TRY(policy.default_duration, duration_of(value, name, key));
        } else if (key == "queue") {
            if (!value.is_string()) return wrong(name, key, "want the name of a queue");
            policy.default_queue = std::string{value.as_string()};
        } else {
            return wrong(name, key, "unknown key; there are duration and queue");
        }
    }
    return {};
}

/// Who may use a queue: checked, and left to plugins (RFC 33).
Result<void> check_access(const JsonObject& table, const std::string& where) {
    for (const auto& [key, value] : table) {
        if (key != "allow-user" && key != "allow-group")
            return wrong(where, key, "unknown key; there are allow-user and allow-group");
        const bool names = value.is_array() &&
                           std::ranges::all_of(value.get_array(), &Json::is_string);
        if (!names) return wrong(where, key, "want an array of names");
    }
    return {};
}

std::string duration_text(double seconds) {
    return seconds > 0 ? fsd_format(seconds) : std::string{"unlimited"};
}

struct Dimension {
    const char* name;
    std::int64_t requested;
    std::optional<std::int64_t> SizeLimits::*limit;
};

Result<void> check_sizes(const JobPolicy& policy, const std::string& suffix,
                         const ResourceRequest& request) {
    const std::int64_t nodes = request.nodes ? std::int64_t{request.nodes} : -1;
    const Dimension dimensions[] = {
        {"nnodes", nodes, &SizeLimits::nnodes},
        {"ncores", static_cast<std::int64_t>(request.cores()), &SizeLimits::ncores},
        {"ngpus", static_cast<std::int64_t>(request.gpus()), &SizeLimits::ngpus},
    };
    for (const Dimension& it : dimensions) {
        if (it.requested < 0) continue;  // nodes are left to the scheduler
        const std::int64_t max = (policy.max.*it.limit).value_or(-1);
        const std::int64_t min = (policy.min.*it.limit).value_or(-1);
        if (max >= 0 && it.requested > max)
            return fail(EINVAL, "requested {} ({}) exceeds policy limit of {}{}", it.name,
                        it.requested, max, suffix);
        if (min >= 0 && it.requested < min)
            return fail(EINVAL, "requested {} ({}) is under policy limit of {}{}", it.name,
                        it.requested, min, suffix);
    }
    return {};
}

}  // namespace

Result<JobPolicy> JobPolicy::from_config(const JsonObject& table, std::string_view where) {
    JobPolicy policy;
    for (const auto& [key, value] : table) {
        const std::string name = fmt::format("{}.{}", where, std::string_view{key});
        if (!value.is_object()) return fail(EINVAL, "{}: want a table", name);
        if (key == "limits") {
            SLUICE_CHECK(read_limits(policy, value.as_object(), name));
        } else if (key == "jobspec") {
            SLUICE_CHECK(read_defaults(policy, value.as_object(), name));
        } else if (key == "access") {
            SLUICE_CHECK(check_access(value.as_object(), name));
        } else if (key != "scheduler") {
            return fail(EINVAL, "{}: unknown key; there are jobspec and limits", name);
        }
    }
    return policy;
}

JobPolicy JobPolicy::with(const JobPolicy& queue) const {
    JobPolicy merged = *this;
    if (queue.default_duration) merged.default_duration = queue.default_duration;
    if (queue.limit_duration) merged.limit_duration = queue.limit_duration;
    const auto take = [](SizeLimits& into, const SizeLimits& from) {
        if (from.nnodes) into.nnodes = from.nnodes;
        if (from.ncores) into.ncores = from.ncores;
        if (from.ngpus) into.ngpus = from.ngpus;
    };
    take(merged.max, queue.max);
    take(merged.min, queue.min);
    return merged;
}

Result<void> check_limits(const JobPolicy& general, const JobPolicy* of_queue,
                          const std::string& queue, const Jobspec& jobspec) {
    const JobPolicy policy = of_queue ? general.with(*of_queue) : general;
    const std::string suffix = queue.empty() ? "" : " for queue " + queue;
    const double limit = policy.limit_duration.value_or(0);
    if (limit > 0 && (jobspec.duration <= 0 || jobspec.duration > limit))
        return fail(EINVAL, "requested duration ({}) exceeds policy limit of {}{}",
                    duration_text(jobspec.duration), duration_text(limit), suffix);
    return check_sizes(policy, suffix, jobspec.request);
}

}  // namespace sluice
