#include "broker/jobs/job_attrs.hpp"

#include <array>

namespace sluice {
namespace {

using Value = std::optional<Json>;

template <auto Member>
Value text(const Job& job) {
    if ((job.*Member).empty()) return std::nullopt;
    return Json(job.*Member);
}

template <auto Member>
Value time(const Job& job) {
    if (job.*Member == 0) return std::nullopt;
    return Json(job.*Member);
}

template <auto Member>
Value count(const Job& job) {
    if (job.*Member == 0) return std::nullopt;
    return Json(job.*Member);
}

Value dependencies(const Job& job) {
    if (!job.had_dependencies) return std::nullopt;
    JsonArray list;
    for (const std::string& text : job.dependencies) list.emplace_back(text);
    return list;
}

struct Row {
    std::string_view name;
    Value (*get)(const Job&);
};

const std::array<Row, 34> rows{{
    {"userid", [](const Job& job) -> Value { return Json(job.userid.value); }},
    {"urgency", [](const Job& job) -> Value { return Json(job.urgency); }},
    {"priority", [](const Job& job) -> Value {
         if (job.priority < 0) return std::nullopt;
         return Json(job.priority);
     }},
    {"t_submit", time<&Job::t_submit>},
    {"t_depend", time<&Job::t_depend>},
    {"t_priority", time<&Job::t_priority>},
    {"t_sched", time<&Job::t_sched>},
    {"t_run", time<&Job::t_run>},
    {"t_cleanup", time<&Job::t_cleanup>},
    {"t_inactive", time<&Job::t_inactive>},
    {"state", [](const Job& job) -> Value { return Json(static_cast<int>(job.state)); }},
    {"name", text<&Job::name>},
    {"cwd", text<&Job::cwd>},
    {"queue", text<&Job::queue>},
    {"project", text<&Job::project>},
    {"bank", text<&Job::bank>},
    {"ntasks", count<&Job::ntasks>},
    {"ncores", count<&Job::ncores>},
    {"duration", [](const Job& job) -> Value { return Json(job.duration); }},
    {"nnodes", count<&Job::nnodes>},
    {"ranks", text<&Job::ranks>},
    {"nodelist", text<&Job::nodelist>},
    {"success", [](const Job& job) -> Value {
         if (!job.inactive()) return std::nullopt;
         return Json(job.success());
     }},
    {"exception_occurred", [](const Job& job) -> Value {
         if (!job.inactive()) return std::nullopt;
         return Json(job.exception.has_value());
     }},
    {"exception_type", [](const Job& job) -> Value {
         if (!job.exception) return std::nullopt;
         return Json(job.exception->type);
     }},
    {"exception_severity", [](const Job& job) -> Value {
         if (!job.exception) return std::nullopt;
         return Json(job.exception->severity);
     }},
    {"exception_note", [](const Job& job) -> Value {
         if (!job.exception) return std::nullopt;
         return Json(job.exception->note);
     }},
    {"result", [](const Job& job) -> Value {
         if (!job.inactive()) return std::nullopt;
         return Json(static_cast<int>(job.result));
     }},
    {"expiration", [](const Job& job) -> Value {  // 0: no end; flux job timeleft wants a real
         if (job.t_run == 0) return std::nullopt;
         return Json(job.expiration);
     }},
    {"annotations", [](const Job& job) -> Value {
         if (job.annotations.empty()) return std::nullopt;
         return Json(job.annotations);
     }},
    {"waitstatus", [](const Job& job) -> Value {
         if (!job.waitstatus) return std::nullopt;
         return Json(*job.waitstatus);
     }},
    {"dependencies", dependencies},
    {"id", [](const Job&) -> Value { return std::nullopt; }},  // always there
    {"all", [](const Job&) -> Value { return std::nullopt; }},
}};
constexpr std::size_t listed = 32;  // rows before these are attributes that list-attrs names

}  // namespace

Result<JobAttrs> JobAttrs::from_json(const JsonArray& names) {
    JobAttrs attrs;
    for (const Json& name : names) {
        if (!name.is_string())
            return fail(EPROTO, "attrs: want strings, found {}", dump_json(name));
        const std::string_view wanted{name.as_string()};
        if (wanted == "all") {
            for (std::size_t i = 0; i < listed; ++i) attrs.rows_.push_back(i);
            continue;
        }
        std::size_t i = 0;
        while (i < rows.size() && rows[i].name != wanted) ++i;
        if (i == rows.size()) return fail(EINVAL, "{} is not a valid attribute", wanted);
        attrs.rows_.push_back(i);
    }
    return attrs;
}

JsonArray JobAttrs::names() {
    JsonArray names;
    for (std::size_t i = 0; i < listed; ++i) names.emplace_back(rows[i].name);
    names.emplace_back("all");
    return names;
}

JsonObject JobAttrs::of(const Job& job) const {
    JsonObject object{{"id", job.id.value}};
    for (const std::size_t i : rows_)
        if (auto value = rows[i].get(job)) object[rows[i].name] = *std::move(value);
    return object;
}

}  // namespace sluice
