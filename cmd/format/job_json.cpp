// The object that `flux jobs --json` prints for a job.
#include "base/rfc/fluid.hpp"
#include "cmd/format/job_fields.hpp"

namespace sluice {

namespace {

/// Sets `key` unless the value is unset, or a real zero (a time that has not come).
void put(JsonObject& out, std::string_view key, const FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (!text->empty()) out[key] = *text;
    } else if (const auto* real = std::get_if<double>(&value)) {
        if (*real != 0) out[key] = *real;
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        out[key] = *number;
    } else {
        out[key] = std::get<bool>(value);
    }
}

JsonObject exception_json(const JobRow& job) {
    JsonObject exception;
    const Json* occurred = job.json.if_contains("exception_occurred");
    const bool did = occurred && occurred->is_bool() && occurred->get_bool();
    exception["occurred"] = did;
    if (!did) return exception;
    put(exception, "severity", job_field(job, "exception.severity"));
    exception["type"] = job.text("exception_type");
    exception["note"] = job.text("exception_note");
    return exception;
}

}  // namespace

JsonObject job_to_json(const JobRow& job) {
    JsonObject out;
    for (const std::string_view key :
         {"t_depend", "t_priority", "t_sched", "t_run",     "t_cleanup", "t_inactive",
          "duration", "expiration", "name",    "cwd",       "queue",     "project",
          "bank",     "ntasks",     "ncores",  "nnodes",    "priority",  "ranks",
          "nodelist", "success",    "result",  "waitstatus"})
        put(out, key, job_field(job, key));
    out["id"] = job.id().value;
    for (const std::string_view key : {"t_submit", "t_remaining", "state", "username", "userid",
                                       "urgency", "runtime", "status", "returncode"})
        put(out, key, job_field(job, key));
    const Json* dependencies = job.json.if_contains("dependencies");
    out["dependencies"] =
        dependencies && dependencies->is_array() ? *dependencies : Json(JsonArray{});
    out["jobid"] = to_f58(job.id());
    const Json* annotations = job.json.if_contains("annotations");
    out["annotations"] =
        annotations && annotations->is_object() ? *annotations : Json(JsonObject{});
    out["exception"] = exception_json(job);
    put(out, "uri", job_uri(job));
    return out;
}

}  // namespace sluice
