#include "broker/jobs/job_fsm.hpp"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

Error wrong_state(const Job& job, const Event& event) {
    return fail(EINVAL, "job {}: event {} cannot come in state {}", job.id, event.name,
                static_cast<int>(job.state));
}

void enter(Job& job, JobState state, double t) {
    job.state = state;
    switch (state) {
        case JobState::new_: break;
        case JobState::depend: job.t_depend = t; break;
        case JobState::priority: if (job.t_priority == 0) job.t_priority = t; break;
        case JobState::sched: job.t_sched = t; break;
        case JobState::run: job.t_run = t; break;
        case JobState::cleanup: if (job.t_cleanup == 0) job.t_cleanup = t; break;
        case JobState::inactive: job.t_inactive = t; break;
    }
}

JobResult result_of(const Job& job) {
    if (job.success()) return JobResult::completed;
    if (job.fatal && job.rare().exception) {
        if (job.rare().exception->type == "cancel") return JobResult::canceled;
        if (job.rare().exception->type == "timeout") return JobResult::timeout;
    }
    return JobResult::failed;
}

using Apply = Result<void> (*)(Job&, const Event&);

Result<void> on_submit(Job& job, const Event& event) {
    if (job.state != JobState::new_) return wrong_state(job, event);
    JsonReader in{event.context};
    const auto userid = in.integer("userid");
    const auto urgency = in.integer("urgency");
    const auto flags = in.integer("flags");
    if (!in) return in.error().in("submit");
    job.userid = UserId{static_cast<std::uint32_t>(userid)};
    job.urgency = static_cast<std::int16_t>(urgency);
    job.flags = static_cast<int>(flags);
    job.t_submit = event.timestamp;
    return {};
}

Result<void> on_validate(Job& job, const Event& event) {
    if (job.state != JobState::new_) return wrong_state(job, event);
    enter(job, JobState::depend, event.timestamp);
    return {};
}

Result<void> on_dependency(Job& job, const Event& event) {
    if (!job.is(3)) return wrong_state(job, event);
    JsonReader in{event.context};
    const std::string description = in.string("description");
    if (!in) return in.error().in(event.name);
    if (event.name == "dependency-add") {
        job.own_rare().dependencies.push_back(description);
        job.had_dependencies = true;
    } else {
        std::vector<std::string>& missing = job.own_rare().dependencies;
        const auto found = std::find(missing.begin(), missing.end(), description);
        if (found == missing.end())
            return fail(EINVAL, "dependency-remove: no dependency '{}'", description);
        missing.erase(found);
    }
    return {};
}

Result<void> on_depend(Job& job, const Event& event) {
    if (job.state != JobState::depend) return wrong_state(job, event);
    enter(job, JobState::priority, event.timestamp);
    return {};
}

Result<void> on_priority(Job& job, const Event& event) {
    if (job.state != JobState::priority && job.state != JobState::sched)
        return wrong_state(job, event);
    JsonReader in{event.context};
    const auto priority = in.integer("priority");
    if (!in) return in.error().in("priority");
    job.priority = priority;
    if (job.state == JobState::priority) enter(job, JobState::sched, event.timestamp);
    return {};
}

void back_to_priority(Job& job) {
    if (job.state == JobState::sched) job.state = JobState::priority;
}

Result<void> on_urgency(Job& job, const Event& event) {
    JsonReader in{event.context};
    const auto urgency = in.integer("urgency");
    if (!in) return in.error().in("urgency");
    job.urgency = static_cast<std::int16_t>(urgency);
    back_to_priority(job);
    return {};
}

Result<void> on_jobspec_update(Job& job, const Event& event) {
    for (const auto& [path, value] : event.context) {
        const std::string_view key{path};
        if (key == "attributes.system.duration") {
            job.duration = as_number(value).value_or(job.duration);
        } else if (key == "attributes.system.queue" && value.is_string()) {
            job.queue = std::string_view{value.as_string()};
        } else if (key == "attributes.system.job.name" && value.is_string()) {
            job.name = std::string_view{value.as_string()};
        }
        if (job.active) job.active->updates[key] = value;
    }
    if (job.active) job.active->request.duration = job.duration;
    back_to_priority(job);
    return {};
}

Result<void> on_restart(Job& job, const Event&) {
    back_to_priority(job);
    return {};
}

Result<void> on_memo(Job& job, const Event& event) {
    job.annotations.merge(JsonObject{{"user", event.context}});
    return {};
}

Result<void> on_annotations(Job& job, const Event& event) {
    JsonReader in{event.context};
    const Json* annotations = in.any("annotations");
    if (!annotations) return in.error().in("annotations");
    if (annotations->is_object()) job.annotations.merge(annotations->as_object());
    else if (annotations->is_null()) job.annotations.clear();
    return {};
}

Result<void> on_alloc(Job& job, const Event& event) {
    if (job.state != JobState::sched) return wrong_state(job, event);
    JsonReader in{event.context};
    if (const JsonObject* annotations = in.maybe_object("annotations"))
        job.annotations.merge(*annotations);
    enter(job, JobState::run, event.timestamp);
    if (job.active) job.active->has_resources = true;
    return {};
}

Result<void> on_perilog(Job& job, const Event& event) {
    JsonReader in{event.context};
    const std::string description = in.string("description");
    if (!in) return in.error().in(event.name);
    if (!job.active) return {};
    std::vector<std::string>& running =
        event.name.starts_with("prolog") ? job.active->prologs : job.active->epilogs;
    if (event.name.ends_with("start")) {
        running.push_back(description);
        return {};
    }
    const auto found = std::find(running.begin(), running.end(), description);
    if (found == running.end()) return fail(EINVAL, "{}: '{}' has not started", event.name,
                                            description);
    running.erase(found);
    return {};
}

Result<void> on_start(Job& job, const Event&) {
    if (job.active) job.active->started = true;
    return {};
}

Result<void> on_resource_update(Job& job, const Event& event) {
    JsonReader in{event.context};
    const double expiration = in.number("expiration");
    if (!in) return in.error().in("resource-update");
    job.expiration = expiration;
    if (job.active && job.active->R) job.active->R->expiration = expiration;
    return {};
}

Result<void> on_finish(Job& job, const Event& event) {
    if (job.state != JobState::run && job.state != JobState::cleanup)
        return wrong_state(job, event);
    JsonReader in{event.context};
    const auto status = in.integer("status");
    if (!in) return in.error().in("finish");
    job.waitstatus = static_cast<int>(status);
    if (job.state == JobState::run) enter(job, JobState::cleanup, event.timestamp);
    return {};
}

Result<void> on_release(Job& job, const Event& event) {
    JsonReader in{event.context};
    const bool final = in.boolean("final");
    if (!in) return in.error().in("release");
    if (final && job.active) {
        job.active->exec = false;
        job.active->exec_done = true;
    }
    return {};
}

Result<void> on_exception(Job& job, const Event& event) {
    if (job.inactive()) return wrong_state(job, event);
    JsonReader in{event.context};
    JobException exception{in.string("type"), static_cast<int>(in.integer("severity")),
                           in.string("note")};
    const std::int64_t wait_status = in.integer_or("wait_status", -1);
    if (!in) return in.error().in("exception");
    const bool fatal = exception.severity == 0;
    // The worst one is shown; of equals, the first.
    const std::optional<JobException>& shown = job.rare().exception;
    if (!shown || exception.severity < shown->severity)
        job.own_rare().exception = std::move(exception);
    if (!fatal) return {};
    job.fatal = true;
    if (wait_status >= 0 && job.active && !job.active->exception_status)
        job.active->exception_status = static_cast<int>(wait_status);
    if (job.state != JobState::new_) enter(job, JobState::cleanup, event.timestamp);
    return {};
}

Result<void> on_free(Job& job, const Event&) {
    if (job.active) job.active->has_resources = false;
    return {};
}

Result<void> on_clean(Job& job, const Event& event) {
    if (job.state != JobState::cleanup) return wrong_state(job, event);
    enter(job, JobState::inactive, event.timestamp);
    job.result = result_of(job);
    return {};
}

struct Row {
    std::string_view name;
    Apply apply;
};
constexpr std::array<Row, 23> rows{{
    {"submit", on_submit},
    {"validate", on_validate},
    {"dependency-add", on_dependency},
    {"dependency-remove", on_dependency},
    {"depend", on_depend},
    {"priority", on_priority},
    {"urgency", on_urgency},
    {"jobspec-update", on_jobspec_update},
    {"flux-restart", on_restart},
    {"memo", on_memo},
    {"annotations", on_annotations},
    {"alloc", on_alloc},
    {"prolog-start", on_perilog},
    {"prolog-finish", on_perilog},
    {"epilog-start", on_perilog},
    {"epilog-finish", on_perilog},
    {"start", on_start},
    {"resource-update", on_resource_update},
    {"finish", on_finish},
    {"release", on_release},
    {"exception", on_exception},
    {"free", on_free},
    {"clean", on_clean},
}};

}  // namespace

Result<void> apply_event(Job& job, const Event& event) {
    for (const Row& row : rows)
        if (row.name == event.name) return row.apply(job, event);
    return {};
}

std::optional<JobAction> next_action(const Job& job, bool queue_started) {
    if (!job.active) return std::nullopt;
    const ActiveJob& active = *job.active;
    switch (job.state) {
        case JobState::new_:
        case JobState::inactive: return std::nullopt;
        case JobState::depend:
            if (job.rare().dependencies.empty()) return JobAction::post_depend;
            return std::nullopt;
        case JobState::priority: return JobAction::post_priority;
        case JobState::sched: {
            const bool wanted = job.priority > 0 && queue_started;
            if (wanted && active.alloc == ActiveJob::Alloc::none) return JobAction::request_alloc;
            if (!wanted && active.alloc == ActiveJob::Alloc::pending)
                return JobAction::cancel_alloc;
            return std::nullopt;
        }
        case JobState::run:
            if (!active.exec && !active.exec_done && !job.in_perilog()) return JobAction::start;
            return std::nullopt;
        case JobState::cleanup:
            if (active.alloc == ActiveJob::Alloc::pending) return JobAction::cancel_alloc;
            if (active.exec || active.alloc != ActiveJob::Alloc::none || job.in_perilog())
                return std::nullopt;
            return active.has_resources ? JobAction::free : JobAction::post_clean;
    }
    return std::nullopt;
}

std::int64_t priority_of(int urgency) {
    return urgency == urgency_expedite ? priority_max : urgency;
}

Event make_event(std::string_view name, JsonObject context) {
    return Event{0, std::string{name}, std::move(context)};
}

namespace {

/// A note without the place where it happened, "task 1 (host n1): ".
std::string_view fault_in(std::string_view note) {
    constexpr std::string_view end = "): ";
    if (!note.starts_with("task ")) return note;
    const std::size_t place = note.find(end);
    return place == note.npos ? note : note.substr(place + end.size());
}

}  // namespace

bool is_echo(const Job& job, const ExceptionInfo& info) {
    const std::optional<JobException>& shown = job.rare().exception;
    if (!job.fatal || !shown || info.type != "exec" || info.severity != 0) return false;
    const JobException& first = *shown;
    return first.type == info.type && first.severity == 0 &&
           fault_in(first.note) == fault_in(info.note);
}

Event exception_event(const ExceptionInfo& info) {
    JsonObject context{{"type", info.type}, {"severity", info.severity}, {"note", info.note}};
    if (info.userid != userid_unknown) context["userid"] = info.userid.value;
    if (info.wait_status) context["wait_status"] = *info.wait_status;
    if (!info.detail.empty()) context["detail"] = info.detail;
    return make_event("exception", std::move(context));
}

}  // namespace sluice
