// job-manager requests about plugins and housekeeping (wire.md 2.3, 3.10). What the reference does
// in its built-in plugins is part of our pipeline; others cannot be loaded.
#include <algorithm>
#include <csignal>

#include "broker/config/config_store.hpp"
#include "broker/jobs/plugins.hpp"
#include "broker/service/job_manager.hpp"

namespace sluice {
void JobManagerService::jobtap(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const auto load = in.maybe_string("load");
    const auto remove = in.maybe_string("remove");
    const bool query_only = in.boolean_or("query_only", false);
    if (!in) return request.fail(in.error());
    if (remove) {
        if (const auto checked = check_plugin_remove(*remove); !checked)
            return request.fail(checked.error());
    }
    if (load) {
        if (const auto checked = check_plugin_load(*load); !checked)
            return request.fail(checked.error());
        perilog_asked_for_ = true;
    }
    if (!query_only) return request.respond();
    JsonArray plugins;
    for (const std::string_view name : plugin_names(perilog_is_used())) plugins.emplace_back(name);
    request.respond(JsonObject{{"plugins", std::move(plugins)}});
}

bool JobManagerService::perilog_is_used() const {
    const Perilogs& perilogs = pipeline_.perilogs();
    return perilog_asked_for_ || perilogs.configured(PerilogKind::prolog) ||
           perilogs.configured(PerilogKind::epilog) ||
           wants_perilog(pipeline_.context().config.root()).value_or(false);
}

void JobManagerService::jobtap_query(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string name = in.string("name");
    if (!in) return request.fail(in.error());
    const auto names = plugin_names(perilog_is_used());
    if (std::ranges::find(names, name) == names.end())
        return request.fail(fail(ENOENT, "{}: plugin not found", name));
    JsonObject answer{{"name", name}, {"path", "builtin"}};
    if (name == perilog_plugin)
        for (const auto& [key, value] : pipeline_.perilogs().query()) answer[key] = value;
    request.respond(answer);
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
