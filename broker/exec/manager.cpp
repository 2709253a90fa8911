#include "broker/exec/manager.hpp"

#include <csignal>

#include "base/rfc/fluid.hpp"

namespace sluice {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;  // Clang 14 does not deduce for aggregates

/// Exit status of a job that was ended before any task could run: as if by the shell.
int status_of_signal(int signum) { return (128 + signum) << 8; }

Event log_event(std::string_view name, JsonObject context = {}) {
    return make_event(name, std::move(context));
}

}  // namespace

ExecManager::ExecManager(Router& router, const ExecConfig& config, Hooks hooks)
    : rpc_(router), config_(config), hooks_(std::move(hooks)) {}

ExecManager::Running* ExecManager::find(JobId id) {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? nullptr : &found->second;
}

UserId ExecManager::owner_of(JobId id) const {
    const auto found = jobs_.find(id);
    return found == jobs_.end() ? userid_unknown : found->second.userid;
}

void ExecManager::begin(JobId id, UserId userid, const ResourceSet& R) {
    std::map<std::uint32_t, std::string> hosts;
    for (const auto& node : R.nodes()) hosts.emplace(node.rank, node.host);
    Running& job = jobs_[id];
    job.userid = userid;
    job.fsm.emplace(std::move(hosts), config_);
    act(id, job.fsm->on_launch());
}

void ExecManager::begin_mock(JobId id, UserId userid, double seconds) {
    Running& job = jobs_[id];
    job.userid = userid;
    job.mock_seconds = seconds;
    hooks_.exec_log(id, log_event("init"));
    hooks_.exec_log(id, log_event("starting"));
}

void ExecManager::launch(JobId id, const std::string& R, const std::string& jobspec) {
    Running* job = find(id);
    if (!job) return;
    job->launched = true;
    if (!job->fsm) {
        job->mock_end = hooks_.clock() + job->mock_seconds;
        note_deadline(id, *job);
        hooks_.started(id);
        return;
    }
    const Idset ranks = job->fsm->active();
    std::uint32_t shell_rank = 0;
    for (const std::uint32_t rank : ranks)
        launches_[rank].push_back({id, job->userid, shell_rank++,
                                   static_cast<std::uint32_t>(ranks.size()), R, jobspec});
}

void ExecManager::send_launches() {
    for (auto& [rank, jobs] : std::exchange(launches_, {})) {
        std::vector<JobId> ids;
        for (const exec::LaunchJob& job : jobs) ids.push_back(job.id);
        JsonObject payload = exec::encode_launch(jobs);
        payload["generation"] = generations_[rank];
        rpc_.call("job-launcher.launch", payload, {.nodeid = rank},
                  [this, rank = rank, ids = std::move(ids)](const Reply& reply) {
                      if (!reply.ok()) on_not_launched(rank, ids, reply.error());
                  });
    }
}

/// A host that went down after its allocation, or that has no broker.
void ExecManager::on_not_launched(std::uint32_t rank, const std::vector<JobId>& ids,
                                  const Error& error) {
    const bool unreachable = error.errnum() == EHOSTUNREACH;
    for (const JobId id : ids) {
        Running* job = find(id);
        if (job && job->fsm)
            act(id, unreachable ? job->fsm->on_lost(rank)
                                : job->fsm->on_failed(rank, error.text()));
    }
}

void ExecManager::cancel(JobId id, int signum) {
    Running* job = find(id);
    if (!job) return;
    if (!job->launched) return finish_unseen(id, status_of_signal(signum ? signum : SIGTERM));
    if (!job->fsm) return finish_unseen(id, signum ? signum : config_.term_signal);
    act(id, job->fsm->on_cancel(signum, hooks_.clock()));
}

void ExecManager::kill(JobId id, int signum) {
    Running* job = find(id);
    if (!job) return;
    if (!job->fsm) return finish_unseen(id, signum);
    signal(id, SendSignal{job->fsm->active(), signum, false});
}

void ExecManager::signal(JobId id, const SendSignal& action) {
    const JsonObject payload = exec::encode_kill({{id}, action.signum, action.shell});
    for (const std::uint32_t rank : action.ranks) rpc_.notify("job-launcher.kill", payload, rank);
}

void ExecManager::set_expiration(JobId id, double expiration) {
    Running* job = find(id);
    if (!job || !job->fsm) return;
    const JsonObject payload{{"id", id.value}, {"expiration", expiration}};
    for (const std::uint32_t rank : job->fsm->active())
        rpc_.notify("job-launcher.expire", payload, rank);
}

void ExecManager::on_report(const exec::Report& report) {
    const std::uint32_t rank = report.rank.value;
    for (const JobId id : report.started)
        if (Running* job = find(id); job && job->fsm) act(id, job->fsm->on_started(rank));
    for (const auto& exited : report.exited)
        if (Running* job = find(exited.id); job && job->fsm)
            act(exited.id, job->fsm->on_exited(rank, exited.status));
    for (const auto& failed : report.failed)
        if (Running* job = find(failed.id); job && job->fsm)
            act(failed.id, job->fsm->on_failed(rank, failed.text));
}

void ExecManager::on_barrier(Request request, JobId id, std::uint32_t rank) {
    Running* job = find(id);
    if (!job || !job->fsm)
        return request.fail(fail(ENOENT, "job-exec.shell-barrier: job {} is not running", id));
    job->barrier.push_back(std::move(request));
    act(id, job->fsm->on_barrier(rank, hooks_.clock()));
}

Result<void> ExecManager::set_critical(JobId id, const Idset& ranks) {
    Running* job = find(id);
    if (!job || !job->fsm) return fail(ENOENT, "job {} is not running", id);
    job->fsm->set_critical(ranks);
    return {};
}

void ExecManager::on_lost(const Idset& ranks) {
    std::vector<JobId> ids;
    for (const auto& [id, job] : jobs_)
        if (job.fsm && !(job.fsm->active() & ranks).empty()) ids.push_back(id);
    for (const JobId id : ids)
        for (const std::uint32_t rank : ranks)
            if (Running* job = find(id)) act(id, job->fsm->on_lost(rank));
}

void ExecManager::on_online(const Idset& ranks) {
    for (const std::uint32_t rank : ranks)
        rpc_.notify("job-launcher.begin", {{"generation", ++generations_[rank]}}, rank);
}

void ExecManager::on_disconnect(std::string_view sender) {
    for (auto& [id, job] : jobs_)
        std::erase_if(job.barrier, [&](const Request& r) { return r.sender() == sender; });
}

void ExecManager::tell_lost(const Running& job, JobId id, const TellLost& action) {
    const std::string topic =
        fmt::format("{}-shell-{}.exception", job.userid, to_f58plain(id));
    rpc_.notify(topic,
                {{"type", "lost-shell"},
                 {"severity", 0},
                 {"shell_rank", action.shell_rank},
                 {"message", action.message}},
                job.fsm->leader());
}

/// Carries out what the machine decided. The job may be gone afterwards.
void ExecManager::act(JobId id, ExecActions actions) {
    for (ExecAction& action : actions) {
        Running* job = find(id);
        if (!job) return;
        std::visit(
            Overloaded{
                [&](ExecLog& it) { hooks_.exec_log(id, std::move(it.event)); },
                [&](AllStarted&) { hooks_.started(id); },
                [&](RaiseFatal& it) {
                    hooks_.raise(id, {it.type, 0, it.note, userid_unknown, {}});
                },
                [&](SendSignal& it) { signal(id, it); },
                [&](TellLost& it) { tell_lost(*job, id, it); },
                [&](BarrierGo&) {
                    for (const Request& request : std::exchange(job->barrier, {}))
                        request.respond();
                },
                [&](BarrierFail&) {
                    for (const Request& request : std::exchange(job->barrier, {}))
                        request.fail(Error{EIO});
                },
                [&](Unkillable& it) { hooks_.unkillable(id, it.ranks); },
                [&](Finished& it) { finish(id, it.status); },
            },
            action);
    }
    if (Running* job = find(id)) note_deadline(id, *job);
}

void ExecManager::note_deadline(JobId id, Running& job) {
    const std::optional<double> deadline = job.deadline();
    if (deadline == job.noted_deadline) return;
    if (job.noted_deadline) deadlines_.erase({*job.noted_deadline, id});
    if (deadline) deadlines_.emplace(*deadline, id);
    job.noted_deadline = deadline;
}

void ExecManager::finish(JobId id, int status) {
    const auto job = jobs_.find(id);
    for (const Request& request : job->second.barrier) request.fail(Error{EIO});
    if (job->second.noted_deadline) deadlines_.erase({*job->second.noted_deadline, id});
    jobs_.erase(job);
    hooks_.finished(id, status);
}

/// The end of a job of which no shell will ever report.
void ExecManager::finish_unseen(JobId id, int status) {
    hooks_.exec_log(id, log_event("complete", {{"status", status}}));
    hooks_.exec_log(id, log_event("done"));
    finish(id, status);
}

void ExecManager::on_time(double now) {
    std::vector<JobId> due;
    for (const auto& [deadline, id] : deadlines_) {
        if (deadline > now) break;
        due.push_back(id);
    }
    for (const JobId id : due) {
        Running* job = find(id);
        if (!job) continue;  // what was done for another ended it
        if (job->fsm) act(id, job->fsm->on_time(now));
        else finish_unseen(id, 0);
    }
}

std::optional<double> ExecManager::next_time() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

}  // namespace sluice
