#include "cmd/format/job_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/rfc/fluid.hpp"
#include "base/rfc/fsd.hpp"
#include "cmd/format/conversion.hpp"
#include "cmd/format/job_reason.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

using Attributes = std::vector<std::string_view>;

struct FieldInfo {
    std::string_view heading;
    Attributes attributes;
};

const Attributes reason_attributes{
    "state",          "result",        "waitstatus", "exception_occurred", "exception_severity",
    "exception_type", "exception_note"};

/// Fields by name. A field whose name is a job-list attribute and that is printed as it is lists
/// only itself.
const std::map<std::string_view, FieldInfo> fields{
    {"id", {"JOBID", {}}},
    {"id.dec", {"JOBID", {}}},
    {"id.hex", {"JOBID", {}}},
    {"id.f58", {"JOBID", {}}},
    {"id.f58plain", {"JOBID", {}}},
    {"id.kvs", {"JOBID", {}}},
    {"id.dothex", {"JOBID", {}}},
    {"userid", {"UID", {"userid"}}},
    {"username", {"USER", {"userid"}}},
    {"urgency", {"URG", {"urgency"}}},
    {"priority", {"PRI", {"priority"}}},
    {"state", {"STATE", {"state"}}},
    {"state_single", {"S", {"state"}}},
    {"state_emoji", {"STATE", {"state"}}},
    {"name", {"NAME", {"name"}}},
    {"cwd", {"CWD", {"cwd"}}},
    {"queue", {"QUEUE", {"queue"}}},
    {"project", {"PROJECT", {"project"}}},
    {"bank", {"BANK", {"bank"}}},
    {"ntasks", {"NTASKS", {"ntasks"}}},
    {"ncores", {"NCORES", {"ncores"}}},
    {"duration", {"DURATION", {"duration"}}},
    {"nnodes", {"NNODES", {"nnodes"}}},
    {"expiration", {"EXPIRATION", {"expiration"}}},
    {"t_remaining", {"T_REMAINING", {"expiration", "state"}}},
    {"ranks", {"RANKS", {"ranks"}}},
    {"nodelist", {"NODELIST", {"nodelist"}}},
    {"success", {"SUCCESS", {"success"}}},
    {"result", {"RESULT", {"result"}}},
    {"result_abbrev", {"RS", {"result"}}},
    {"result_emoji", {"RESULT", {"result"}}},
    {"t_submit", {"T_SUBMIT", {"t_submit"}}},
    {"t_depend", {"T_DEPEND", {"t_depend"}}},
    {"t_priority", {"T_PRIORITY", {"t_priority"}}},
    {"t_sched", {"T_SCHED", {"t_sched"}}},
    {"t_run", {"T_RUN", {"t_run"}}},
    {"t_cleanup", {"T_CLEANUP", {"t_cleanup"}}},
    {"t_inactive", {"T_INACTIVE", {"t_inactive"}}},
    {"runtime", {"RUNTIME", {"t_run", "t_cleanup"}}},
    {"status", {"STATUS", {"state", "result"}}},
    {"status_abbrev", {"ST", {"state", "result"}}},
    {"status_emoji", {"STATUS", {"state", "result"}}},
    {"waitstatus", {"WSTATUS", {"waitstatus"}}},
    {"returncode", {"RC", reason_attributes}},
    {"exception.occurred", {"EXCEPTION-OCCURRED", {"exception_occurred"}}},
    {"exception.severity", {"EXCEPTION-SEVERITY", {"exception_severity"}}},
    {"exception.type", {"EXCEPTION-TYPE", {"exception_type"}}},
    {"exception.note", {"EXCEPTION-NOTE", {"exception_note"}}},
    {"annotations", {"ANNOTATIONS", {"annotations"}}},
    {"sched", {"SCHED", {"annotations"}}},
    {"sched.t_estimate", {"T_ESTIMATE", {"annotations"}}},
    {"sched.reason_pending", {"REASON", {"annotations"}}},
    {"sched.resource_summary", {"RESOURCES", {"annotations"}}},
    {"annotations.sched.t_estimate", {"T_ESTIMATE", {"annotations"}}},
    {"annotations.sched.reason_pending", {"REASON", {"annotations"}}},
    {"annotations.sched.resource_summary", {"RESOURCES", {"annotations"}}},
    {"user", {"USER", {"annotations"}}},
    {"uri", {"URI", {"annotations", "state"}}},
    {"uri.local", {"URI", {"annotations", "state"}}},
    {"dependencies", {"DEPENDENCIES", {"dependencies"}}},
    {"contextual_info",
     {"INFO", {"state", "dependencies", "annotations", "nodelist", "priority", "urgency",
               "queue"}}},
    {"contextual_time", {"TIME", {"state", "duration", "t_run", "t_cleanup"}}},
    {"inactive_reason", {"INACTIVE-REASON", reason_attributes}},
    {"instance.stats", {"STATS", {"annotations", "state"}}},
    {"instance.stats.total", {"NJOBS", {"annotations", "state"}}},
    {"instance.utilization", {"CORE%", {"annotations", "state"}}},
    {"instance.gpu_utilization", {"GPU%", {"annotations", "state"}}},
    {"instance.progress", {"PROG", {"annotations", "state"}}},
};

bool is_annotation(std::string_view field) {
    return field.starts_with("annotations.") || field.starts_with("sched.") ||
           field.starts_with("user.");
}

/// Heading of instance.resources.SET.COUNT, if the field is one.
std::optional<std::string> resource_heading(std::string_view field) {
    constexpr std::string_view prefix = "instance.resources.";
    if (!field.starts_with(prefix)) return std::nullopt;
    field.remove_prefix(prefix.size());
    const std::size_t dot = field.find('.');
    if (dot == field.npos) return std::nullopt;
    const std::string_view count = field.substr(dot + 1);
    const std::string_view set = field.substr(0, dot);
    if (count != "ncores" && count != "ngpus" && count != "nnodes") return std::nullopt;
    if (set == "all") return count == "ncores" ? "CORES" : count == "ngpus" ? "GPUS" : "NODES";
    if (set == "up") return "UP";
    if (set == "down") return "DOWN";
    if (set == "allocated") return "USED";
    if (set == "free") return "FREE";
    return std::nullopt;
}

/// A member as it is; real times stay reals, whatever number job-list chose.
FieldValue plain_member(const JobRow& job, std::string_view key) {
    const Json* value = job.json.if_contains(key);
    if (!value || value->is_null()) return "";
    if (key.starts_with("t_") || key == "duration" || key == "expiration") return job.real(key);
    if (value->is_bool()) return value->get_bool();
    if (value->is_string()) return std::string(value->get_string());
    if (const auto number = as_integer(*value)) return *number;
    if (const auto number = as_number(*value)) return *number;
    return dump_json_spaced(*value);
}

/// An annotation as text: objects as JSON, nothing when unset or empty.
FieldValue annotation(const JobRow& job, std::string_view path) {
    const Json* annotations = job.json.if_contains("annotations");
    const Json* value = annotations && !path.empty() ? find_path(*annotations, path) : annotations;
    if (!value || value->is_null()) return "";
    if (value->is_string()) return std::string(value->get_string());
    if (value->is_bool()) return value->get_bool();
    if (const auto number = as_integer(*value)) return *number;
    if (const auto number = as_number(*value)) return *number;
    if (value->is_object() && value->get_object().empty()) return "";
    return dump_json_spaced(*value);
}

FieldValue id_field(const JobRow& job, std::string_view field) {
    if (field == "id.dec") return static_cast<std::int64_t>(job.id().value);
    const auto form = fluid_form(field == "id" ? "f58" : field.substr(3));
    return fluid_encode(job.id(), *form);
}

std::string_view status_emoji(const JobRow& job) {
    const std::string status = job_status(job);
    if (status == "COMPLETED") return "😎";
    if (status == "FAILED") return "😭";
    if (status == "CANCELED") return "🙈";
    if (status == "TIMEOUT") return "⌛";
    if (status == "DEPEND") return "⏳";
    if (status == "PRIORITY") return "🎲";
    if (status == "SCHED") return "📅";
    if (status == "RUN") return "🏃";
    if (status == "CLEANUP") return "🧹";
    return status == "INACTIVE" ? "🏁" : "🐣";
}

std::string_view state_emoji(const JobRow& job) {
    if (job.integer("state") == job_state::inactive) return "🏁";
    return status_emoji(job);
}

FieldValue state_field(const JobRow& job, std::string_view field) {
    const std::int64_t state = job.integer("state");
    const std::int64_t result = job.integer("result");
    if (field == "state") return std::string(state_name(state));
    if (field == "state_single") return std::string(state_letter(state));
    if (field == "state_emoji") return std::string(state_emoji(job));
    if (field == "result") return std::string(result_name(result));
    if (field == "result_abbrev") return std::string(result_abbreviation(result));
    if (field == "result_emoji") return result ? std::string(status_emoji(job)) : "";
    if (field == "status") return job_status(job);
    if (field == "status_emoji") return std::string(status_emoji(job));
    const bool inactive = state == job_state::inactive;
    return std::string(inactive ? result_abbreviation(result) : state_letter(state));
}

FieldValue exception_field(const JobRow& job, std::string_view field) {
    std::string key{field};
    key[key.find('.')] = '_';
    return plain_member(job, key);
}

FieldValue instance_field(const JobRow& job, std::string_view field) {
    const InstanceSummary& in = job.instance;
    if (!in.known) return "";
    const std::int64_t total = in.pending + in.running + in.completed + in.failed;
    if (field == "instance.stats")
        return fmt::format("PD:{} R:{} CD:{} F:{}", in.pending, in.running, in.completed,
                           in.failed);
    if (field == "instance.stats.total") return total;
    if (field == "instance.utilization") return in.utilization;
    if (field == "instance.gpu_utilization") return in.gpu_utilization;
    if (field == "instance.progress")
        return total == 0
                   ? 0.0
                   : static_cast<double>(in.completed + in.failed) / static_cast<double>(total);
    constexpr std::string_view prefix = "instance.resources.";
    const Json* count = find_path(in.resources, field.substr(prefix.size()));
    return count ? as_integer(*count).value_or(0) : std::int64_t{0};
}

}  // namespace

JobId JobRow::id() const {
    return JobId{static_cast<std::uint64_t>(integer("id"))};
}

std::int64_t JobRow::integer(std::string_view key) const {
    const Json* value = json.if_contains(key);
    return value ? as_integer(*value).value_or(0) : 0;
}

double JobRow::real(std::string_view key) const {
    const Json* value = json.if_contains(key);
    return value ? as_number(*value).value_or(0) : 0;
}

std::string JobRow::text(std::string_view key) const {
    const Json* value = json.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

std::optional<std::string> job_heading(std::string_view field) {
    if (const auto found = fields.find(field); found != fields.end())
        return std::string(found->second.heading);
    if (is_annotation(field)) {
        std::string heading{field};
        for (char& c : heading)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        return heading;
    }
    return resource_heading(field);
}

FieldValue job_field(const JobRow& job, std::string_view field) {
    if (field == "id" || field.starts_with("id.")) return id_field(job, field);
    if (field == "username") return job.username;
    if (field.starts_with("state") || field.starts_with("result") || field.starts_with("status"))
        return state_field(job, field);
    if (field.starts_with("exception.")) return exception_field(job, field);
    if (field.starts_with("instance.")) return instance_field(job, field);
    if (field == "annotations") return annotation(job, "");
    if (field.starts_with("annotations.")) return annotation(job, field.substr(12));
    if (field == "sched" || field == "user" || is_annotation(field)) return annotation(job, field);
    if (field == "uri") return job_uri(job);
    if (field == "uri.local") return job.local_uri;
    if (field == "runtime") return job_runtime(job);
    if (field == "t_remaining") return job_time_remaining(job);
    if (field == "dependencies") return dependencies_text(job);
    if (field == "contextual_info") return contextual_info(job);
    if (field == "contextual_time")
        return job.integer("state") & (job_state::new_ | job_state::pending) ? job.real("duration")
                                                                             : job_runtime(job);
    if (field == "inactive_reason") return inactive_reason(job);
    if (field == "returncode") {
        const auto code = job_returncode(job);
        return code ? FieldValue{*code} : FieldValue{""};
    }
    return plain_member(job, field);
}

std::vector<std::string> job_attributes(const std::vector<std::string>& names) {
    std::vector<std::string> attributes;
    const auto add = [&](std::string_view attribute) {
        if (std::ranges::find(attributes, attribute) == attributes.end())
            attributes.emplace_back(attribute);
    };
    for (const std::string& name : names) {
        const auto found = fields.find(name);
        if (found != fields.end())
            for (const std::string_view attribute : found->second.attributes) add(attribute);
        else
            for (const std::string_view attribute : {"annotations", "state"}) add(attribute);
    }
    return attributes;
}

}  // namespace sluice
