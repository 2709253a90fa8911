// Housekeeping after jobs: runs the configured command on the ranks that a job has let go of, and
// gives them back to the scheduler as HousekeepingFsm decides. Rim.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/rfc/resource_set.hpp"
#include "broker/context.hpp"
#include "broker/exec/script_run.hpp"
#include "broker/jobs/housekeeping_fsm.hpp"
#include "broker/jobs/script_config.hpp"

namespace sluice {

class Housekeeping {
  public:
    struct Hooks {
        /// These resources are the scheduler's again; `final`: nothing of the job's is left.
        std::function<void(JobId, const ResourceSet&, bool final)> release;
        std::function<double()> clock;
        std::function<void()> timer_changed;  // next_time() may tell another time
    };
    Housekeeping(BrokerContext& context, Hooks hooks)
        : context_(context), rpc_(context.router), hooks_(std::move(hooks)) {}

    void configure(const std::optional<HousekeepingConfig>& config);
    bool configured() const { return config_.has_value(); }

    struct Owner {
        UserId userid;
        std::int64_t priority = 0;
        double t_submit = 0;
    };
    /// Holds R; nothing is started before launch().
    void begin(JobId id, const Owner& owner, const ResourceSet& R);
    void launch(JobId id);
    bool has(JobId id) const { return runs_.contains(id); }
    /// Signals it for one job or all, on some ranks or all.
    void kill(std::optional<JobId> id, const std::optional<Idset>& ranks, int signum);

    void on_time(double now);
    std::optional<double> next_time() const;

    /// What it holds now, for a scheduler that comes anew.
    struct Held {
        JobId id;
        Owner owner;
        ResourceSet R;   // what is left
        Idset released;  // ranks that went back already
    };
    std::vector<Held> held() const;
    /// Ends what runs for a job without giving anything back: its scheduler cannot know of it.
    void give_up(JobId id, const std::string& why);

    /// {running:{ID:{t_start,pending,allocated}}, config:{release-after,command}}
    JsonObject stats() const;

  private:
    struct Run {
        Owner owner;
        ResourceSet R;
        HousekeepingFsm fsm;
        double t_start;
        std::shared_ptr<ScriptRun> script;  // unset until launched
    };
    Run* find(JobId id);
    void on_done(JobId id, std::uint32_t rank);
    void release(JobId id, const HousekeepingFsm::Release& release);
    void complain(JobId id, std::uint32_t rank, std::string_view what) const;
    ScriptRun::Hooks script_hooks(JobId id);

    BrokerContext& context_;
    RpcClient rpc_;
    Hooks hooks_;
    std::optional<HousekeepingConfig> config_;
    std::map<JobId, Run> runs_;
};

}  // namespace sluice
