// job-manager requests about one job: raise, kill, urgency, update, memo, post-event, getattr.
#include <csignal>

#include "broker/service/job_manager.hpp"

namespace sluice {
namespace {

JobId read_id(JsonReader& in) { return JobId{static_cast<std::uint64_t>(in.integer("id"))}; }

bool valid_exception_type(std::string_view type) {
    return !type.empty() && type.find_first_of(" =\t\n") == std::string_view::npos;
}

}  // namespace

void JobManagerService::raise(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    ExceptionInfo info;
    const std::int64_t severity = in.integer("severity");
    info.type = in.string("type");
    info.note = in.string_or("note", "");
    const std::int64_t wait_status = in.integer_or("wait_status", -1);
    if (!in) return request.fail(in.error());
    if (severity < 0 || severity > 7)
        return request.fail(fail(EPROTO, "invalid exception severity"));
    if (!valid_exception_type(info.type))
        return request.fail(fail(EPROTO, "invalid exception type"));
    Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job id"));
    if (!may_act(request, *job))
        return request.fail(fail(EPERM, "guests can only raise exceptions on their own jobs"));
    if (job->inactive()) return request.fail(fail(ENOENT, "job is inactive"));
    info.severity = static_cast<int>(severity);
    info.userid = request.userid();
    if (wait_status >= 0) info.wait_status = static_cast<int>(wait_status);
    if (!is_echo(*job, info)) pipeline_.raise(*job, info);
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::kill(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const std::int64_t signum = in.integer("signum");
    if (!in) return request.fail(in.error());
    if (signum <= 0 || signum >= NSIG) return request.fail(fail(EINVAL, "Invalid signal number"));
    const Job* job = table().find(id);
    if (!job) return request.fail(fail(EINVAL, "unknown job id"));
    if (!may_act(request, *job))
        return request.fail(fail(EPERM, "guests may only send signals to their own jobs"));
    if (job->inactive()) return request.fail(fail(EINVAL, "job is inactive"));
    if (!job->active->exec) return request.fail(fail(EINVAL, "job is not running"));
    pipeline_.exec().kill(id, static_cast<int>(signum));
    request.respond();
}

void JobManagerService::urgency(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const std::int64_t urgency = in.integer("urgency");
    if (!in) return request.fail(in.error());
    if (urgency < urgency_hold || urgency > urgency_expedite)
        return request.fail(fail(EINVAL, "urgency value is out of range"));
    Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job"));
    if (!may_act(request, *job))
        return request.fail(fail(EPERM, "guests can only reprioritize their own jobs"));
    if (!request.privileged() && urgency > urgency_default)
        return request.fail(fail(EPERM, "guests can only adjust urgency <= default"));
    if (job->inactive()) return request.fail(fail(EINVAL, "job is inactive"));
    if (job->is(job_states::running))
        return request.fail(
            fail(EINVAL, "urgency cannot be changed once resources are allocated"));
    const int old = job->urgency;
    pipeline_.set_urgency(*job, static_cast<int>(urgency), request.userid());
    pipeline_.after_commit(
        [request, old] { request.respond(JsonObject{{"old_urgency", old}}); });
}

void JobManagerService::update(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const JsonObject& updates = in.object("updates");
    if (!in) return request.fail(in.error());
    Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job id"));
    if (!may_act(request, *job))
        return request.fail(fail(EPERM, "guests may only update their own jobs"));
    if (job->inactive()) return request.fail(fail(EINVAL, "job is inactive"));
    const auto updated = pipeline_.update(*job, updates, request.message().cred);
    if (!updated) return request.fail(updated.error());
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::memo(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const bool is_volatile = in.boolean_or("volatile", false);
    const JsonObject& memo = in.object("memo");
    if (!in) return request.fail(in.error());
    Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job id"));
    if (job->inactive()) return request.fail(fail(ENOENT, "job is inactive"));
    if (!may_act(request, *job))
        return request.fail(fail(EPERM, "guests can only add a memo to their own jobs"));
    if (is_volatile) pipeline_.post_volatile(*job, make_event("memo", memo));
    else pipeline_.post(*job, make_event("memo", memo));
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::post_event(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const std::string name = in.string("name");
    const JsonObject* context = in.maybe_object("context");
    if (!in) return request.fail(in.error());
    Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job id"));
    if (job->inactive()) return request.fail(fail(EINVAL, "job is inactive"));
    if (name.empty()) return request.fail(fail(EINVAL, "post-event: the event needs a name"));
    const Event event = make_event(name, context ? *context : JsonObject{});
    pipeline_.post(*job, event);
    if (!job->inactive()) pipeline_.advance(*job);
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::getattr(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const JsonArray& names = in.array("attrs");
    if (!in) return request.fail(in.error());
    const Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "unknown job"));
    if (!may_act(request, *job)) return request.fail(Error{EPERM});
    pipeline_.flush();
    pipeline_.store().read_job(id, [this, request, id, names](const auto& stored) {
        if (!stored || !*stored) return request.fail(fail(ENOENT, "unknown job"));
        const StoredJob& found = **stored;
        pipeline_.store().read_log(id, main_log, [request, found, names](const auto& log) {
            JsonObject answer;
            for (const Json& name : names) {
                const std::string_view key = name.is_string() ? name.as_string() : "";
                if (key == "jobspec") {
                    auto updates = parse_json_object(found.updates);
                    auto jobspec = updated_jobspec(found.jobspec, updates.value_or({}));
                    if (!jobspec) return request.fail(jobspec.error());
                    remove_environment(*jobspec);
                    answer[key] = *std::move(jobspec);
                } else if (key == "R" && found.R) {
                    answer[key] = parse_json_object(*found.R).value_or({});
                } else if (key == "eventlog" && log && *log) {
                    answer[key] = **log;
                } else {
                    return request.fail(fail(ENOENT, "job has no attribute {}", key));
                }
            }
            request.respond(answer);
        });
    });
}

}  // namespace sluice
