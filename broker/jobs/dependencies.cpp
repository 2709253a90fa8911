#include "broker/jobs/dependencies.hpp"

#include <algorithm>
#include <charconv>

#include "base/rfc/fluid.hpp"

namespace sluice {
namespace {

constexpr std::string_view singleton = "singleton";
constexpr std::string_view begin_time = "begin-time=";

std::optional<double> parse_time(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::string begin_description(double time) { return fmt::format("{}{:.3f}", begin_time, time); }

const JsonArray* dependency_list(const Jobspec& jobspec) {
    const Json* list = find_path(jobspec.json, "attributes.system.dependencies");
    return list && list->is_array() ? &list->as_array() : nullptr;
}

}  // namespace

std::string_view Dependencies::name_of(Kind kind) {
    switch (kind) {
        case Kind::start: return "after-start";
        case Kind::success: return "after-success";
        case Kind::failure: return "after-failure";
        case Kind::exception: return "after-except";
        case Kind::finish: return "after-finish";
    }
    return "";
}

Result<const Job*> Dependencies::find_target(const Job& job, const std::string& scheme,
                                             const std::string& value) const {
    const auto id = fluid_decode(value);
    if (!id)
        return fail(EINVAL, "dependency: {}: \"{}\" is not a valid jobid", scheme, value);
    const Job* target = find_(*id);
    if (!target) return fail(EINVAL, "dependency: {}: id {}: job not found", scheme, value);
    if (target->userid != job.userid)
        return fail(EINVAL, "dependency: {}: Permission denied for job {}", scheme, value);
    return target;
}

bool Dependencies::satisfies(const Job& ended, Kind kind) {
    if (kind == Kind::finish) return true;
    if (ended.t_run == 0) return false;  // the others want a job that ran
    const bool success = ended.result == JobResult::completed;
    switch (kind) {
        case Kind::start: return !ended.active || ended.active->started;
        case Kind::success: return success;
        case Kind::failure: return !success;
        case Kind::exception: return !success && ended.fatal;
        case Kind::finish: return true;
    }
    return false;
}

/// Whether the job waited for has done already what is wanted; an error when it never will.
Result<bool> Dependencies::satisfied_by(const Job& target, Kind kind, const std::string& value) {
    if (kind == Kind::start && target.active && target.active->started) return true;
    if (!target.inactive()) return false;
    if (satisfies(target, kind)) return true;
    if (kind == Kind::start || target.t_run == 0)
        return fail(EINVAL, "dependency: after: {} never started", value);
    if (kind == Kind::success)
        return fail(EINVAL, "dependency: afterok: job {} failed or was canceled", value);
    if (kind == Kind::failure)
        return fail(EINVAL, "dependency: afternotok: job {} succeeded", value);
    return fail(EINVAL, "dependency: afterexcept: job {}: no exception", value);
}

Result<std::vector<AddedDependency>> Dependencies::add(const Job& job, const Jobspec& jobspec) {
    static const std::map<std::string, Kind, std::less<>> kinds{
        {"after", Kind::start},      {"afterstart", Kind::start}, {"afterok", Kind::success},
        {"afternotok", Kind::failure}, {"afterany", Kind::finish},
        {"afterexcept", Kind::exception},
    };
    std::vector<AddedDependency> added;
    std::vector<std::pair<JobId, Waiter>> waiters;
    std::vector<std::pair<double, std::string>> times;
    bool is_singleton = false;
    static const JsonArray none;
    const JsonArray* list = dependency_list(jobspec);
    for (const Json& entry : list ? *list : none) {
        if (!entry.is_object()) return fail(EINVAL, "dependencies: want an array of objects");
        JsonReader in{entry.as_object()};
        const std::string scheme = in.string("scheme");
        const std::string value = in.string_or("value", "");
        if (!in) return fail(EINVAL, "dependencies: {}", in.error().text());
        if (const auto kind = kinds.find(scheme); kind != kinds.end()) {
            SLUICE_TRY(const Job* target, find_target(job, scheme, value));
            SLUICE_TRY(const bool satisfied, satisfied_by(*target, kind->second, value));
            added.push_back({fmt::format("{}={}", name_of(kind->second), to_f58(target->id)),
                             satisfied});
            if (!satisfied)
                waiters.emplace_back(target->id,
                                     Waiter{job.id, kind->second, added.back().description});
        } else if (scheme == "begin-time") {
            const auto time = parse_time(value);
            if (!time) return fail(EINVAL, "Invalid begin-time={}", value);
            added.push_back({begin_description(*time), false});
            times.emplace_back(*time, added.back().description);
        } else if (scheme == singleton) {
            if (!find_path(jobspec.json, "attributes.system.job.name"))
                return fail(EINVAL, "singleton jobs require a job name");
            is_singleton = true;
        } else {
            return fail(EINVAL, "dependency scheme \"{}\" not supported", scheme);
        }
    }
    for (auto& waiter : waiters) after_.insert(std::move(waiter));
    for (auto& [time, description] : times) times_.emplace(time, std::pair{job.id, description});
    NameGroup& group = names_[NameKey{job.userid.value, job.name}];
    if (is_singleton && !(group.running.empty() && group.held.empty())) {
        group.held.push_back(job.id);
        added.push_back({std::string{singleton}, false});
    } else {
        group.running.insert(job.id);
    }
    return added;
}

void Dependencies::restore(const Job& job) {
    NameGroup& group = names_[NameKey{job.userid.value, job.name}];
    const auto& missing = job.rare().dependencies;
    const bool held = std::find(missing.begin(), missing.end(), singleton) != missing.end();
    if (held) group.held.push_back(job.id);
    else group.running.insert(job.id);
    for (const std::string& text : missing) {
        if (text.starts_with(begin_time)) {
            const double time = parse_time(text.substr(begin_time.size())).value_or(0);
            times_.emplace(time, std::pair{job.id, text});
            continue;
        }
        const auto equals = text.find('=');
        if (equals == std::string::npos) continue;
        const auto target = fluid_decode(std::string_view{text}.substr(equals + 1));
        if (!target) continue;
        for (const Kind kind :
             {Kind::start, Kind::success, Kind::failure, Kind::exception, Kind::finish})
            if (std::string_view{text}.substr(0, equals) == name_of(kind))
                after_.emplace(*target, Waiter{job.id, kind, text});
    }
}

std::vector<DependencyNews> Dependencies::recheck() {
    std::vector<DependencyNews> news;
    std::vector<JobId> targets;
    for (const auto& [target, waiter] : after_) targets.push_back(target);
    const auto append = [&](std::vector<DependencyNews> more) {
        news.insert(news.end(), more.begin(), more.end());
    };
    for (const JobId target : targets) {
        const Job* job = find_(target);
        if (!job) {
            Job purged;
            purged.id = target;
            append(settle_after(purged));
            continue;
        }
        if (job->t_run > 0) append(on_start(target));
        if (job->inactive()) append(settle_after(*job));
    }
    return news;
}

std::vector<DependencyNews> Dependencies::on_start(JobId id) {
    std::vector<DependencyNews> news;
    const auto [begin, end] = after_.equal_range(id);
    for (auto it = begin; it != end;) {
        if (it->second.kind == Kind::start) {
            news.push_back({it->second.id, it->second.description, true, {}});
            it = after_.erase(it);
        } else {
            ++it;
        }
    }
    return news;
}

std::vector<DependencyNews> Dependencies::settle_after(const Job& job) {
    std::vector<DependencyNews> news;
    const char* why = job.t_run > 0 ? "can never be satisfied" : "job never started";
    const auto [begin, end] = after_.equal_range(job.id);
    for (auto it = begin; it != end; ++it) {
        const Waiter& waiter = it->second;
        DependencyNews entry{waiter.id, waiter.description, satisfies(job, waiter.kind), {}};
        if (!entry.satisfied) entry.note = fmt::format("dependency {} {}", waiter.description, why);
        news.push_back(std::move(entry));
    }
    after_.erase(begin, end);
    return news;
}

void Dependencies::settle_singletons(const Job& job, std::vector<DependencyNews>& news) {
    const auto found = names_.find(NameKey{job.userid.value, job.name});
    if (found == names_.end()) return;
    NameGroup& group = found->second;
    group.running.erase(job.id);
    std::erase(group.held, job.id);
    if (group.running.empty() && !group.held.empty()) {
        const JobId next = group.held.front();
        group.held.erase(group.held.begin());
        group.running.insert(next);
        news.push_back({next, std::string{singleton}, true, {}});
    }
    if (group.running.empty() && group.held.empty()) names_.erase(found);
}

std::vector<DependencyNews> Dependencies::on_inactive(const Job& job) {
    std::vector<DependencyNews> news = settle_after(job);
    if (!job.rare().dependencies.empty()) forget(job.id);
    settle_singletons(job, news);
    return news;
}

void Dependencies::forget(JobId waiter) {
    std::erase_if(after_, [&](const auto& entry) { return entry.second.id == waiter; });
    std::erase_if(times_, [&](const auto& entry) { return entry.second.first == waiter; });
}

std::vector<DependencyNews> Dependencies::on_time(double now) {
    std::vector<DependencyNews> news;
    while (!times_.empty() && times_.begin()->first <= now) {
        auto& [id, description] = times_.begin()->second;
        news.push_back({id, description, true, {}});
        times_.erase(times_.begin());
    }
    return news;
}

std::optional<double> Dependencies::next_time() const {
    if (times_.empty()) return std::nullopt;
    return times_.begin()->first;
}

}  // namespace sluice
