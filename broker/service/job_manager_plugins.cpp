// job-manager requests about plugins and housekeeping (wire.md 2.3, 3.10). What the reference does
// in its built-in plugins is part of our pipeline; others cannot be loaded.
#include <algorithm>
#include <csignal>

#include "broker/service/job_manager.hpp"

namespace sluice {
namespace {

/// Each is the work of the file named.
constexpr std::string_view builtin_plugins[] = {
    ".priority-default",      // jobs/job_fsm
    ".limit-job-size",        // jobs/policy
    ".limit-duration",        // jobs/policy
    ".dependency-after",      // jobs/dependencies
    ".dependency-singleton",  // jobs/dependencies
    ".begin-time",            // jobs/dependencies
    ".validate-duration",     // jobs/policy
    ".update-duration",       // service/job_pipeline_update
    ".history",               // service/job_manager_all
    ".post-event",            // service/job_manager_job
    ".update-queue",          // service/job_pipeline_update
};

bool is_builtin(std::string_view name) {
    return std::ranges::find(builtin_plugins, name) != std::end(builtin_plugins);
}

}  // namespace

void JobManagerService::jobtap(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const auto load = in.maybe_string("load");
    const auto remove = in.maybe_string("remove");
    const bool query_only = in.boolean_or("query_only", false);
    if (!in) return request.fail(in.error());
    if (load)
        return request.fail(
            fail(ENOSYS, "{}: plugins cannot be loaded; what the built-in ones do is always there",
                 *load));
    if (remove && !is_builtin(*remove))
        return request.fail(fail(ENOENT, "Failed to find plugin to remove: {}", *remove));
    if (remove) return request.fail(fail(ENOSYS, "{}: built in, cannot be removed", *remove));
    if (!query_only) return request.respond();
    JsonArray plugins(std::begin(builtin_plugins), std::end(builtin_plugins));
    request.respond(JsonObject{{"plugins", std::move(plugins)}});
}

void JobManagerService::jobtap_query(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string name = in.string("name");
    if (!in) return request.fail(in.error());
    if (!is_builtin(name)) return request.fail(fail(ENOENT, "{}: plugin not found", name));
    request.respond(JsonObject{{"name", name}, {"path", "builtin"}});
}

void JobManagerService::housekeeping_kill(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t signum = in.integer("signum");
    const std::int64_t id = in.integer_or("jobid", -1);
    const auto targets = in.maybe_string("ranks");
    if (!in) return request.fail(in.error());
    if (signum <= 0 || signum >= NSIG) return request.fail(fail(EINVAL, "Invalid signal number"));
    std::optional<Idset> ranks;
    if (targets) {
        auto parsed = Idset::parse(*targets);
        if (!parsed) return request.fail(parsed.error());
        ranks = *std::move(parsed);
    }
    std::optional<JobId> job;
    if (id != -1) job = JobId{static_cast<std::uint64_t>(id)};
    pipeline_.housekeeping().kill(job, ranks, static_cast<int>(signum));
    request.respond();
}

}  // namespace sluice
