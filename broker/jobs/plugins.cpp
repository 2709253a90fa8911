#include "broker/jobs/plugins.hpp"

#include <algorithm>

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

Result<void> check_directive(const JsonObject& directive) {
    JsonReader in{directive};
    const auto load = in.maybe_string("load");
    const auto remove = in.maybe_string("remove");
    if (!in) return in.error();
    if (!load && !remove) return fail(EINVAL, "an entry has neither load nor remove");
    if (remove) SLUICE_CHECK(check_plugin_remove(*remove));
    return load ? check_plugin_load(*load) : Result<void>{};
}

}  // namespace

std::vector<std::string_view> plugin_names(bool with_perilog) {
    std::vector<std::string_view> names(std::begin(builtin_plugins), std::end(builtin_plugins));
    if (with_perilog) names.insert(names.end() - 1, perilog_plugin);
    return names;
}

Result<void> check_plugin_load(std::string_view path) {
    if (path.substr(path.rfind('/') + 1) == perilog_plugin) return {};
    return fail(ENOSYS,
                "{}: plugins cannot be loaded; what the built-in ones and perilog.so do is always "
                "there",
                path);
}

Result<void> check_plugin_remove(std::string_view name) {
    const auto names = plugin_names(true);
    if (name != "all" && name != "*" && std::ranges::find(names, name) == names.end())
        return fail(ENOENT, "Failed to find plugin to remove: {}", name);
    return fail(ENOSYS, "{}: built in, cannot be removed", name);
}

Result<bool> wants_perilog(const JsonObject& config) {
    const Json* plugins = find_path(config, "job-manager.plugins");
    if (!plugins) return false;
    if (!plugins->is_array())
        return fail(EINVAL, "job-manager.plugins: found {}, want an array of tables",
                    json_type_name(*plugins));
    for (const Json& directive : plugins->as_array()) {
        if (!directive.is_object())
            return fail(EINVAL, "job-manager.plugins: found {}, want a table with load or remove",
                        json_type_name(directive));
        if (const auto checked = check_directive(directive.as_object()); !checked)
            return fail(EINVAL, "job-manager.plugins: {}; take the entry out",
                        checked.error().text());
    }
    return !plugins->as_array().empty();
}

}  // namespace sluice
