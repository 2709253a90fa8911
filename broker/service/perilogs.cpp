#include "broker/service/perilogs.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"
#include "broker/log/logger.hpp"

namespace sluice {

std::string hosts_and_ranks(const Hostlist& hosts, const Idset& ranks) {
    Hostlist named;
    for (const std::uint32_t rank : ranks) named.append(rank < hosts.size() ? hosts[rank] : "?");
    return fmt::format("{} (rank {})", named.to_string(), ranks.to_string());
}

void Perilogs::configure(const ScriptConfig& config) {
    prolog_ = config.prolog;
    epilog_ = config.epilog;
    log_ignore_ = config.log_ignore;
}

Perilogs::Run* Perilogs::find(JobId id) {
    const auto found = runs_.find(id);
    return found == runs_.end() ? nullptr : &found->second;
}

std::string Perilogs::host(std::uint32_t rank) const {
    return rank < context_.hosts.size() ? context_.hosts[rank] : "?";
}

void Perilogs::begin(JobId id, PerilogKind kind, UserId userid, const Idset& ranks) {
    const PerilogConfig& config = kind == PerilogKind::prolog ? *prolog_ : *epilog_;
    const Idset where = config.per_rank ? ranks : Idset{0};
    runs_.insert_or_assign(id, Run{kind, userid, ranks, where, PerilogFsm{config, where}, {}});
}

void Perilogs::launch(JobId id) {
    Run* run = find(id);
    if (!run || run->script) return;
    run->fsm.on_launch(hooks_.clock());
    run->script = std::make_shared<ScriptRun>(rpc_, script_hooks(id, run->kind));
    const auto script = run->script;
    script->start(run->ranks, run->fsm.config().command,
                  {{"FLUX_JOB_ID", to_f58(id)},
                   {"FLUX_JOB_USERID", std::to_string(run->userid.value)},
                   {"FLUX_JOB_RANKS", run->job_ranks.to_string()}});
}

ScriptRun::Hooks Perilogs::script_hooks(JobId id, PerilogKind kind) {
    ScriptRun::Hooks hooks;
    hooks.output = [this, id, kind](std::uint32_t rank, std::string_view stream,
                                    const std::string& line) {
        if (log_ignore_.drops(line)) return;
        const std::string text = fmt::format("{}: {}: {} (rank {}): {}: {}", to_f58(id),
                                             perilog_name(kind), host(rank), rank, stream, line);
        if (stream == "stderr") context_.log.err("job-manager", "{}", text);
        else context_.log.info("job-manager", "{}", text);
    };
    hooks.exited = [this, id](std::uint32_t rank, int status) {
        if (Run* run = find(id)) act(id, run->fsm.on_exited(rank, status));
    };
    hooks.failed = [this, id, kind](std::uint32_t rank, const Error& error) {
        context_.log.err("job-manager", "{}: {}: {} (rank {}): {}", to_f58(id), perilog_name(kind),
                         host(rank), rank, error.text());
        if (Run* run = find(id)) act(id, run->fsm.on_failed(rank, error.errnum()));
    };
    return hooks;
}

void Perilogs::on_exception(JobId id) {
    if (Run* run = find(id)) act(id, run->fsm.on_exception(hooks_.clock()));
}

void Perilogs::act(JobId id, PerilogActions actions) {
    for (auto& action : actions) {
        if (auto* signal = std::get_if<SignalScript>(&action)) {
            if (const Run* run = find(id); run && run->script)
                run->script->kill(signal->ranks, signal->signum);
        } else {
            finish(id, std::get<PerilogDone>(std::move(action)));
        }
    }
}

/// The nodes are drained before anybody else can get them.
void Perilogs::finish(JobId id, PerilogDone done) {
    Run& run = runs_.at(id);
    const PerilogKind kind = run.kind;
    if (run.script) run.script->abandon();
    runs_.erase(id);
    if (done.drain.empty()) return tell(id, kind, done);
    const std::string reason =
        fmt::format("{} {} for job {}", perilog_name(kind), done.drain, to_f58(id));
    const JsonObject payload{
        {"targets", done.blamed.to_string()}, {"reason", reason}, {"mode", "update"}};
    rpc_.call("resource.drain", payload, {.nodeid = 0},
              [this, id, kind, done = std::move(done)](const Reply& reply) {
                  if (!reply.ok())
                      context_.log.err("job-manager", "drain of ranks {} with failed {} for {}: {}",
                                       done.blamed.to_string(), perilog_name(kind), to_f58(id),
                                       reply.error().text());
                  tell(id, kind, done);
              });
}

void Perilogs::tell(JobId id, PerilogKind kind, const PerilogDone& done) {
    std::string note;
    if (!done.cause.empty())
        note = fmt::format("{} {} on {}", perilog_name(kind), done.cause,
                           hosts_and_ranks(context_.hosts, done.blamed));
    hooks_.done(id, kind, done, note);
}

void Perilogs::on_time(double now) {
    std::vector<JobId> due;
    for (const auto& [id, run] : runs_)
        if (run.fsm.deadline() && *run.fsm.deadline() <= now) due.push_back(id);
    for (const JobId id : due)
        if (Run* run = find(id)) act(id, run->fsm.on_time(now));
}

std::optional<double> Perilogs::next_time() const {
    std::optional<double> next;
    for (const auto& [id, run] : runs_)
        if (const auto at = run.fsm.deadline(); at && (!next || *at < *next)) next = at;
    return next;
}

namespace {

JsonObject config_to_json(const std::optional<PerilogConfig>& config) {
    if (!config) return {};
    return {{"command", JsonArray(config->command.begin(), config->command.end())},
            {"per_rank", config->per_rank},
            {"cancel_on_exception", config->cancel_on_exception},
            {"timeout", config->timeout},
            {"kill-timeout", config->kill_timeout}};
}

}  // namespace

JsonObject Perilogs::query() const {
    JsonObject procs;
    for (const auto& [id, run] : runs_) {
        const auto end = run.fsm.deadline();
        const double left = end ? std::max(0.0, *end - hooks_.clock()) : 0;
        procs[to_f58(id)] = JsonObject{{"name", perilog_name(run.kind)},
                                       {"state", run.fsm.state()},
                                       {"total", run.fsm.total()},
                                       {"active", run.fsm.active().size()},
                                       {"active_ranks", run.fsm.active().to_string()},
                                       {"remaining_time", static_cast<std::int64_t>(left)}};
    }
    JsonObject conf{{"prolog", config_to_json(prolog_)}, {"epilog", config_to_json(epilog_)}};
    return {{"conf", std::move(conf)}, {"procs", std::move(procs)}};
}

}  // namespace sluice
