// The prologs and epilogs that run now: starts them on their ranks, logs what they say, drains the
// nodes where they fail. What they decide is PerilogFsm's. Rim.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/rfc/resource_set.hpp"
#include "broker/context.hpp"
#include "broker/exec/script_run.hpp"
#include "broker/jobs/perilog_fsm.hpp"

namespace sluice {

class Perilogs {
  public:
    struct Hooks {
        /// It is over, and the nodes to be drained are drained. `note`: for the exception that
        /// follows, "" for none.
        std::function<void(JobId, PerilogKind, const PerilogDone&, const std::string& note)> done;
        std::function<double()> clock;
    };
    Perilogs(BrokerContext& context, Hooks hooks)
        : context_(context), rpc_(context.router), hooks_(std::move(hooks)) {}

    void configure(const ScriptConfig& config);
    bool configured(PerilogKind kind) const {
        return kind == PerilogKind::prolog ? prolog_.has_value() : epilog_.has_value();
    }

    /// It can be cancelled from now on. At most one runs for a job.
    void begin(JobId id, PerilogKind kind, UserId userid, const Idset& ranks);
    /// Starts what begin() announced, unless that was cancelled.
    void launch(JobId id);
    /// A fatal exception of the job.
    void on_exception(JobId id);
    bool has(JobId id) const { return runs_.contains(id); }

    void on_time(double now);
    std::optional<double> next_time() const;
    /// What `flux jobtap query perilog.so` shows: {conf:{prolog,epilog}, procs:{ID:{…}}}.
    JsonObject query() const;

  private:
    struct Run {
        PerilogKind kind;
        UserId userid;
        Idset job_ranks, ranks;
        PerilogFsm fsm;
        std::shared_ptr<ScriptRun> script;  // unset until launched
    };
    Run* find(JobId id);
    void act(JobId id, PerilogActions actions);
    void finish(JobId id, PerilogDone done);
    void tell(JobId id, PerilogKind kind, const PerilogDone& done);
    ScriptRun::Hooks script_hooks(JobId id, PerilogKind kind);
    std::string host(std::uint32_t rank) const;

    BrokerContext& context_;
    RpcClient rpc_;
    Hooks hooks_;
    std::optional<PerilogConfig> prolog_, epilog_;
    LogFilter log_ignore_;
    std::unordered_map<JobId, Run> runs_;
};

/// "n0,n1 (rank 0-1)" of an instance's hosts.
std::string hosts_and_ranks(const Hostlist& hosts, const Idset& ranks);

}  // namespace sluice
