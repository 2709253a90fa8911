// RFC 32 - the exec manager of rank 0: sends jobs to the launchers of their ranks, hears what
// became of their shells, and ends jobs that must end. The decisions are ExecFsm's. Rim.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "base/rfc/resource_set.hpp"
#include "broker/exec/protocol.hpp"
#include "broker/jobs/exec_fsm.hpp"
#include "broker/jobs/job_fsm.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/request.hpp"

namespace sluice {

class ExecManager {
  public:
    struct Hooks {
        std::function<void(JobId)> started;  // every shell exists
        std::function<void(JobId, const ExceptionInfo&)> raise;
        std::function<void(JobId, Event)> exec_log;  // for guest.exec.eventlog
        std::function<void(JobId, int status)> finished;
        std::function<void(JobId, const Idset& ranks)> unkillable;
        std::function<double()> clock;
    };
    ExecManager(Router& router, const ExecConfig& config, Hooks hooks);

    void configure(const ExecConfig& config) { config_ = config; }

    /// The job is about to be launched: it can be cancelled from now on.
    void begin(JobId id, UserId userid, const ResourceSet& R);
    /// Sends it to its ranks with the next send_launches(); nothing happens if it was cancelled.
    /// `R` and `jobspec` as JSON texts.
    void launch(JobId id, const std::string& R, const std::string& jobspec);
    /// One message a rank for all that launch() collected.
    void send_launches();
    /// A job that only pretends to run, for `seconds`.
    void begin_mock(JobId id, UserId userid, double seconds);

    /// Ends a job. `signum`: what to try first, 0 for the configured signal.
    void cancel(JobId id, int signum);
    void kill(JobId id, int signum);
    void set_expiration(JobId id, double expiration);

    // What launchers and shells say.
    void on_report(const exec::Report& report);
    void on_barrier(Request request, JobId id, std::uint32_t rank);
    Result<void> set_critical(JobId id, const Idset& ranks);
    void on_lost(const Idset& ranks);
    /// Brokers of these ranks are there, perhaps others than before.
    void on_online(const Idset& ranks);
    void on_disconnect(std::string_view sender);

    void on_time(double now);
    std::optional<double> next_time() const;
    UserId owner_of(JobId id) const;
    bool has(JobId id) const { return jobs_.contains(id); }
    std::size_t size() const { return jobs_.size(); }

  private:
    struct Running {
        UserId userid;
        std::optional<ExecFsm> fsm;        // unset: a mock
        bool launched = false;
        double mock_seconds = 0;
        std::optional<double> mock_end;
        std::optional<double> noted_deadline;  // as it stands in deadlines_
        std::optional<double> deadline() const { return fsm ? fsm->deadline() : mock_end; }
        std::vector<Request> barrier;
    };
    Running* find(JobId id);
    void act(JobId id, ExecActions actions);
    void note_deadline(JobId id, Running& job);
    void on_not_launched(std::uint32_t rank, const std::vector<JobId>& ids, const Error& error);
    void finish(JobId id, int status);
    void finish_unseen(JobId id, int status);
    void signal(JobId id, const SendSignal& action);
    void tell_lost(const Running& job, JobId id, const TellLost& action);

    RpcClient rpc_;
    ExecConfig config_;
    Hooks hooks_;
    std::unordered_map<JobId, Running> jobs_;
    std::set<std::pair<double, JobId>> deadlines_;
    std::unordered_map<std::uint32_t, std::vector<exec::LaunchJob>> launches_;  // by rank
    std::unordered_map<std::uint32_t, std::int64_t> generations_;  // of the brokers, by rank
};

}  // namespace sluice
