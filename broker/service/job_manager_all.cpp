// job-manager requests about many jobs: raiseall, killall, wait, purge, list, history.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include "broker/service/job_manager.hpp"

namespace sluice {
namespace {

constexpr unsigned raisable_states = job_states::active;

/// Whom a request means: one user, or everyone (-1).
struct Selection {
    std::int64_t userid;
    unsigned states;
    bool everyone() const { return userid == -1 || userid == userid_unknown.value; }
    bool contains(const Job& job) const {
        return job.is(states) && (everyone() || userid == std::int64_t{job.userid.value});
    }
};

std::vector<JobId> select(const JobTable& table, const Selection& selection) {
    std::vector<JobId> ids;
    for (const auto& [id, job] : table.active())
        if (selection.contains(*job)) ids.push_back(id);
    return ids;
}

bool may_select(const Request& request, const Selection& selection) {
    return request.privileged() ||
           (!selection.everyone() && selection.userid == std::int64_t{request.userid().value});
}

JsonObject counted(std::size_t count) { return {{"count", count}, {"errors", 0}}; }

std::string wait_text(const Job& job) {
    if (job.result == JobResult::completed) return "";
    if (job.fatal && job.rare().exception) {
        std::string text = "Fatal exception type=" + job.rare().exception->type;
        if (!job.rare().exception->note.empty()) text += " " + job.rare().exception->note;
        return text;
    }
    const int status = job.waitstatus.value_or(0);
    if (WIFSIGNALED(status)) return fmt::format("task(s) {}", ::strsignal(WTERMSIG(status)));
    return fmt::format("task(s) exited with exit code {}", WEXITSTATUS(status));
}

Result<std::optional<std::int64_t>> slice_number(std::string_view text) {
    if (text.empty()) return std::optional<std::int64_t>{};
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return fail(EINVAL, "slice: '{}' is not a number", text);
    return std::optional{value};
}

/// "[i]" or "[a:b:step]" of Python, applied to `items`.
Result<JsonArray> slice(const std::vector<JobId>& items, std::string_view text) {
    if (text.size() <= 2 || text.front() != '[' || text.back() != ']')
        return fail(EINVAL, "slice: '{}' is not of the form [FROM:TO:STEP]", text);
    std::array<std::optional<std::int64_t>, 3> numbers;
    std::size_t parts = 0;
    std::optional<std::string_view> rest = text.substr(1, text.size() - 2);
    while (rest) {
        if (parts == numbers.size()) return fail(EINVAL, "slice: '{}' has too many parts", text);
        const std::size_t colon = rest->find(':');
        SLUICE_TRY(numbers[parts++], slice_number(rest->substr(0, colon)));
        if (colon == std::string_view::npos) rest.reset();
        else rest->remove_prefix(colon + 1);
    }
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t step = numbers[2].value_or(1);
    if (step == 0) return fail(EINVAL, "slice: the step is 0");
    // Where a walk in the direction of the step can begin and end.
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
    const auto bound = [&](std::optional<std::int64_t> number, std::int64_t fallback) {
        if (!number) return fallback;
        return std::clamp(*number < 0 ? *number + size : *number, low, high);
    };
    const std::int64_t from = bound(numbers[0], step > 0 ? low : high);
    const std::int64_t to = parts == 1 ? from + 1 : bound(numbers[1], step > 0 ? high : low);
    JsonArray taken;
    for (std::int64_t i = from; step > 0 ? i < std::min(to, size) : i > to; i += step)
        taken.emplace_back(items[static_cast<std::size_t>(i)].value);
    return taken;
}

}  // namespace

void JobManagerService::raiseall(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const bool dry_run = in.boolean("dry_run");
    Selection selection{in.integer("userid"), 0};
    selection.states = static_cast<unsigned>(in.integer("states")) & raisable_states;
    const std::int64_t severity = in.integer("severity");
    ExceptionInfo info;
    info.type = in.string("type");
    info.note = in.string_or("note", "");
    if (!in) return request.fail(in.error());
    if (severity < 0 || severity > 7)
        return request.fail(fail(EPROTO, "invalid exception severity"));
    if (!may_select(request, selection))
        return request.fail(fail(EPERM, "guests can only raise exceptions on their own jobs"));
    info.severity = static_cast<int>(severity);
    info.userid = request.userid();
    const std::vector<JobId> ids = select(table(), selection);
    if (!dry_run)
        for (const JobId id : ids)
            if (Job* job = table().find(id); job && !job->inactive()) pipeline_.raise(*job, info);
    pipeline_.after_commit([request, n = ids.size()] { request.respond(counted(n)); });
}

void JobManagerService::killall(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const bool dry_run = in.boolean("dry_run");
    const Selection selection{in.integer("userid"), static_cast<unsigned>(JobState::run)};
    const std::int64_t signum = in.integer("signum");
    if (!in) return request.fail(in.error());
    if (signum <= 0 || signum >= NSIG) return request.fail(fail(EINVAL, "Invalid signal number"));
    if (!may_select(request, selection))
        return request.fail(fail(EPERM, "guests can only kill their own jobs"));
    const std::vector<JobId> ids = select(table(), selection);
    if (!dry_run)
        for (const JobId id : ids) pipeline_.exec().kill(id, static_cast<int>(signum));
    request.respond(counted(ids.size()));
}

std::size_t JobManagerService::waitable_count() const {
    std::size_t count = 0;
    const auto add = [&](const Job& job) {
        count += (job.flags & job_flag::waitable) && !job.reaped;
    };
    for (const auto& [id, job] : pipeline_.table().active()) add(*job);
    for (const Job* job : pipeline_.table().inactive()) add(*job);
    return count;
}

void JobManagerService::answer_wait(const Request& request, Job& job) {
    pipeline_.mark_reaped(job);
    pipeline_.after_commit([request, answer = JsonObject{
                                         {"id", job.id.value},
                                         {"success", job.result == JobResult::completed},
                                         {"errstr", wait_text(job)}}] { request.respond(answer); });
}

void JobManagerService::on_inactive(const Job& job) {
    if (!(job.flags & job_flag::waitable)) return;
    const auto waiter = std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& it) {
        return !it.id || *it.id == job.id;
    });
    if (waiter == waiters_.end()) return;
    answer_wait(waiter->request, *table().find(job.id));
    waiters_.erase(waiter);
}

void JobManagerService::wait(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t number = in.integer("id");
    if (!in) return request.fail(in.error());
    if (number == -1) {
        const auto any_waiting = static_cast<std::size_t>(std::count_if(
            waiters_.begin(), waiters_.end(), [](const Waiter& it) { return !it.id; }));
        if (waitable_count() <= any_waiting)
            return request.fail(fail(ECHILD, "there are no more waitable jobs"));
        for (const Job* job : table().inactive())
            if ((job->flags & job_flag::waitable) && !job->reaped)
                return answer_wait(request, *table().find(job->id));
        waiters_.push_back({std::move(request), std::nullopt});
        return;
    }
    const JobId id{static_cast<std::uint64_t>(number)};
    Job* job = table().find(id);
    const bool waitable = job && (job->flags & job_flag::waitable);
    if (!job || (job->inactive() && (!waitable || job->reaped)))
        return request.fail(
            fail(ECHILD, "invalid job id, or job may be inactive and not waitable"));
    if (!waitable)
        return request.fail(fail(ECHILD, "job was not submitted with FLUX_JOB_WAITABLE"));
    if (job->inactive()) return answer_wait(request, *job);
    waiters_.push_back({std::move(request), id});
}

void JobManagerService::purge(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const double age_limit = in.number("age_limit");
    const std::int64_t num_limit = in.integer("num_limit");
    const std::int64_t batch = in.integer("batch");
    const bool force = in.boolean("force");
    if (!in) return request.fail(in.error());
    if (batch < 1) return request.fail(fail(EPROTO, "batch: found {}, want at least 1", batch));
    const auto& inactive = table().inactive();
    const double now = wall_clock_now();
    std::vector<JobId> ids;
    for (std::size_t i = 0; i < inactive.size(); ++i) {
        const bool too_many = num_limit >= 0 && inactive.size() - i > std::size_t(num_limit);
        const bool too_old = age_limit >= 0 && now - inactive[i]->t_inactive >= age_limit;
        if (!too_many && !too_old) break;
        if (force && ids.size() >= static_cast<std::size_t>(batch)) break;
        ids.push_back(inactive[i]->id);
    }
    if (force) pipeline_.purge(ids);
    pipeline_.after_commit(
        [request, n = ids.size()] { request.respond(JsonObject{{"count", n}}); });
}

void JobManagerService::purge_id(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const bool force = in.integer_or("force", 0) != 0;
    if (!in) return request.fail(in.error());
    const Job* job = table().find(id);
    if (!job) return request.fail(fail(ENOENT, "id not found"));
    if (!job->inactive()) return request.fail(fail(EINVAL, "cannot purge active job"));
    if (force) pipeline_.purge({id});
    pipeline_.after_commit([request] { request.respond(JsonObject{{"count", 1}}); });
}

void JobManagerService::getinfo(Request request, const JsonObject&) {
    request.respond(JsonObject{{"max_jobid", table().max_id().value}});
}

void JobManagerService::list(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t max = in.integer("max_entries");
    if (!in) return request.fail(in.error());
    if (max < 0) return request.fail(fail(EPROTO, "max_entries: found {}, want 0 or more", max));
    JsonArray jobs;
    for (const auto& [id, job] : table().active()) {
        if (max > 0 && jobs.size() >= static_cast<std::size_t>(max)) break;
        JsonObject row{{"id", id.value},
                       {"userid", job->userid.value},
                       {"urgency", job->urgency},
                       {"priority", job->priority},
                       {"t_submit", job->t_submit},
                       {"state", static_cast<int>(job->state)}};
        if (!job->annotations.empty()) row["annotations"] = job->annotations.to_json();
        jobs.emplace_back(std::move(row));
    }
    request.respond(JsonObject{{"jobs", std::move(jobs)}});
}

void JobManagerService::history(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string text = in.string("slice");
    if (!in) return request.fail(in.error());
    std::vector<JobId> ids;
    const auto add = [&](const Job& job) {
        if (job.userid == request.userid()) ids.push_back(job.id);
    };
    for (const auto& [id, job] : table().active()) add(*job);
    for (const Job* job : table().inactive()) add(*job);
    std::sort(ids.rbegin(), ids.rend());
    auto taken = slice(ids, text);
    if (!taken) return request.fail(taken.error());
    request.respond(JsonObject{{"jobs", *std::move(taken)}});
}

}  // namespace sluice
