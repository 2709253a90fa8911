#include "broker/service/job_lookup.hpp"

#include "base/rfc/eventlog.hpp"
#include "base/rfc/jobspec.hpp"
#include "broker/jobs/job.hpp"

namespace sluice {
namespace {

std::optional<JsonObject> jobspec_object(const StoredJob& job, std::string_view eventlog,
                                         bool current) {
    JsonObject updates = parse_json_object(job.updates).value_or({});
    if (current) {
        const auto events = decode_eventlog(eventlog);
        if (!events) return std::nullopt;
        for (const Event& event : *events)
            if (event.name == "jobspec-update")
                for (const auto& [path, value] : event.context) updates[path] = value;
    }
    auto jobspec = updated_jobspec(job.jobspec, updates);
    if (!jobspec) return std::nullopt;
    remove_environment(*jobspec);
    return *std::move(jobspec);
}

std::optional<JsonObject> R_object(const StoredJob& job, std::string_view eventlog, bool current) {
    if (!job.R) return std::nullopt;
    auto R = parse_json_object(*job.R);
    if (!R) return std::nullopt;
    if (!current) return *std::move(R);
    const auto events = decode_eventlog(eventlog);
    for (const Event& event : events.value_or({}))
        if (event.name == "resource-update")
            if (const Json* expiration = event.context.if_contains("expiration"))
                set_path(*R, "execution.expiration", *expiration);
    return *std::move(R);
}

}  // namespace

std::optional<JsonObject> stored_object(const StoredJob& job, std::string_view key,
                                        std::string_view eventlog, bool current) {
    if (key == "jobspec") return jobspec_object(job, eventlog, current);
    if (key == "R") return R_object(job, eventlog, current);
    return std::nullopt;
}

std::optional<std::string> stored_text(const StoredJob& job, std::string_view key,
                                       std::string_view eventlog, bool current) {
    if (key == "J") return sign_none(job.jobspec, job.userid);
    if (const auto object = stored_object(job, key, eventlog, current)) return dump_json(*object);
    return std::nullopt;
}

}  // namespace sluice
