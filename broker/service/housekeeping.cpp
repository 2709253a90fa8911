#include "broker/service/housekeeping.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

#include "base/rfc/fluid.hpp"
#include "broker/log/logger.hpp"
#include "broker/service/perilogs.hpp"

namespace sluice {

void Housekeeping::configure(const std::optional<HousekeepingConfig>& config) {
    config_ = config;
    if (!config) return;
    for (const std::string& warning : config->warnings)
        context_.log.err("job-manager", "{}", warning);
}

Housekeeping::Run* Housekeeping::find(JobId id) {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : &found->second;
}

void Housekeeping::begin(JobId id, const Owner& owner, const ResourceSet& R) {
    runs_.insert_or_assign(
        id, Run{owner, R, HousekeepingFsm{R.ranks(), config_->release_after}, hooks_.clock(), {}});
}

void Housekeeping::launch(JobId id) {
    Run* run = find(id);
    if (!run || run->script) return;
    if (!config_) {  // the configuration has changed in between
        for (const std::uint32_t rank : run->R.ranks()) on_done(id, rank);
        return;
    }
    context_.log.debug("job-manager", "housekeeping: {} started", to_f58(id));
    const Idset ranks = run->R.ranks();
    const auto script = run->script = std::make_shared<ScriptRun>(rpc_, script_hooks(id));
    script->start(ranks, config_->command,
                  {{"FLUX_JOB_ID", std::to_string(id.value)},
                   {"FLUX_JOB_USERID", std::to_string(run->owner.userid.value)},
                   {"FLUX_JOB_RANKS", ranks.to_string()}});
}

void Housekeeping::complain(JobId id, std::uint32_t rank, std::string_view what) const {
    context_.log.err("job-manager", "housekeeping: {} {}: {}",
                     hosts_and_ranks(context_.hosts, Idset{rank}), to_f58(id), what);
}

ScriptRun::Hooks Housekeeping::script_hooks(JobId id) {
    ScriptRun::Hooks hooks;
    hooks.output = [this, id](std::uint32_t rank, std::string_view stream,
                              const std::string& line) {
        if (stream == "stderr") return complain(id, rank, line);
        context_.log.info("job-manager", "housekeeping: {} {}: {}",
                          hosts_and_ranks(context_.hosts, Idset{rank}), to_f58(id), line);
    };
    hooks.exited = [this, id](std::uint32_t rank, int status) {
        if (WIFSIGNALED(status)) complain(id, rank, ::strsignal(WTERMSIG(status)));
        else if (status != 0) complain(id, rank, "nonzero exit code");
        on_done(id, rank);
    };
    hooks.failed = [this, id](std::uint32_t rank, const Error& error) {
        complain(id, rank, error.text());
        on_done(id, rank);
    };
    return hooks;
}

void Housekeeping::on_done(JobId id, std::uint32_t rank) {
    Run* run = find(id);
    if (!run) return;
    release(id, run->fsm.on_done(rank, hooks_.clock()));
    hooks_.timer_changed();
}

void Housekeeping::release(JobId id, const HousekeepingFsm::Release& release) {
    if (release.ranks.empty()) return;
    Run& run = runs_.at(id);
    const ResourceSet R = run.R.only_ranks(release.ranks);
    if (release.final) {
        if (run.script) run.script->abandon();
        runs_.erase(id);
        context_.log.debug("job-manager", "housekeeping: {} complete", to_f58(id));
    }
    hooks_.release(id, R, release.final);
}

void Housekeeping::kill(std::optional<JobId> id, const std::optional<Idset>& ranks, int signum) {
    for (const auto& [job, run] : runs_) {
        if (!run.script || (id && job != *id)) continue;
        const Idset pending = run.fsm.pending();
        run.script->kill(ranks ? pending & *ranks : pending, signum);
    }
}

void Housekeeping::on_time(double now) {
    std::vector<JobId> due;
    for (const auto& [id, run] : runs_)
        if (run.fsm.deadline() && *run.fsm.deadline() <= now) due.push_back(id);
    for (const JobId id : due)
        if (Run* run = find(id)) release(id, run->fsm.on_time(now));
}

std::optional<double> Housekeeping::next_time() const {
    std::optional<double> next;
    for (const auto& [id, run] : runs_)
        if (const auto at = run.fsm.deadline(); at && (!next || *at < *next)) next = at;
    return next;
}

std::vector<Housekeeping::Held> Housekeeping::held() const {
    std::vector<Held> all;
    for (const auto& [id, run] : runs_)
        all.push_back({id, run.owner, run.R.only_ranks(run.fsm.held()),
                       run.R.ranks() - run.fsm.held()});
    return all;
}

void Housekeeping::give_up(JobId id, const std::string& why) {
    Run* run = find(id);
    if (!run) return;
    context_.log.err("job-manager", "housekeeping: {} from {} will be terminated because {}",
                     hosts_and_ranks(context_.hosts, run->fsm.pending()), to_f58(id), why);
    if (run->script) {
        run->script->kill(run->fsm.pending(), SIGTERM);
        run->script->abandon();
    }
    runs_.erase(id);
}

JsonObject Housekeeping::stats() const {
    JsonObject running;
    for (const auto& [id, run] : runs_)
        running[to_f58(id)] = JsonObject{{"t_start", run.t_start},
                                         {"pending", run.fsm.pending().to_string()},
                                         {"allocated", run.fsm.held().to_string()}};
    std::string command;
    if (config_)
        for (const std::string& word : config_->command)
            command += (command.empty() ? "" : " ") + word;
    JsonObject config{{"release-after", config_ ? config_->release_after : -1.0},
                      {"command", std::move(command)}};
    return {{"running", std::move(running)}, {"config", std::move(config)}};
}

}  // namespace sluice
