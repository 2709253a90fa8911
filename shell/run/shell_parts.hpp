// The inside of a running shell. Members are in the order of their making; see shell.cpp (life) and
// shell_service.cpp (requests of others).
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/rexec/server.hpp"
#include "base/rpc/handle.hpp"
#include "shell/affinity.hpp"
#include "shell/environment.hpp"
#include "shell/launch_info.hpp"
#include "shell/options.hpp"
#include "shell/run/eventlog_writer.hpp"
#include "shell/run/input.hpp"
#include "shell/run/job_folder.hpp"
#include "shell/run/output.hpp"
#include "shell/run/pmi_server.hpp"
#include "shell/run/pmix_server.hpp"
#include "shell/run/proctable_service.hpp"
#include "shell/run/sysmon.hpp"
#include "shell/run/task.hpp"
#include "shell/run/terminus.hpp"
#include "shell/run/topology.hpp"
#include "shell/shell_fsm.hpp"
#include "shell/task_plan.hpp"

namespace sluice::shell {

class Shell {
  public:
    Shell(Handle handle, LaunchInfo info, const Topology* topology, SpareFolder& spare);
    /// Runs the job's tasks of this node to their end. Returns the exit code.
    int run();
    /// Whether the process is as it was before the job: no process of the job and none of the
    /// libraries that do not go away again.
    bool clean() const;

  private:
    // Set-up, in this order. An error ends the job with its text.
    Result<void> prepare();
    Result<void> read_options();
    Result<void> enter_folder();
    Result<void> make_folder();
    Result<void> stage_files();
    Result<void> read_hostfile();
    Result<void> make_tmpdir();
    Result<void> export_topology();
    Result<void> start_pmi();
    Result<void> add_pmix_environment(TaskSpawn& spawn, std::uint32_t rank) const;
    void watch_for_mpi();
    void hint_at_pmi(const TaskExit& exit);
    void on_abort(const std::string& note, int code);
    void start_service();
    void start_rexec();
    void listen_to_launcher();

    void perform(const ShellActions& actions);
    void on(const action::EnterBarrier&);
    void on(const action::StartTasks&);
    void on(const action::PostTaskExit& action);
    void on(const action::TellExit& action);
    void on(const action::TellComplete&);
    void on(const action::ArmExitTimer& action);
    void on(const action::Raise& action);
    void on(const action::Log& action);
    void on(const action::Signal& action);
    void on(const action::AbandonStreams&);
    void on(const action::Finish& action);

    Result<void> start_task(std::uint32_t localid);
    void end_with_terminal(Task::Callbacks& callbacks);
    Result<TaskSpawn> task_spawn(std::uint32_t localid, int pmi_fd);
    void post_init();
    void post_start();
    void end_rexec();
    void wait_for_followers();
    void try_finish();
    void reap_now_and_then();
    bool is_known(pid_t pid) const;
    void finish();
    void schedule_signal(double expiration);

    // Requests to "<uid>-shell-<id>.*".
    void on_request(const Message& request);
    bool on_client_notice(const Message& request);
    void on_doom(const JsonObject& payload);
    void on_complete(const JsonObject& payload);
    void on_exception(const Message& request, const JsonObject& payload);
    void respond(const Message& request, int errnum);
    void tell_leader(std::string_view method, const JsonObject& payload);
    MustacheValues mustache_values() const;

    // Words to the user (shell_report.cpp).
    void tell_settings();
    void tell_affinity();
    void tell_signal();
    void debug(std::string_view component, std::string message);
    void notice(std::string_view component, std::string message);
    void warn(std::string_view component, std::string message);

    Handle handle_;
    LaunchInfo info_;
    const Topology* topology_;
    SpareFolder& spare_;
    ShellOptions options_;
    TaskPlan plan_;
    AffinityOptions affinity_;
    std::vector<Idset> cpus_;        // by local id
    std::vector<std::string> gpus_;  // by local id, may be empty
    std::vector<std::pair<int, std::int64_t>> rlimits_;
    std::optional<EventlogWriter> log_;
    std::optional<JobFolder> folder_;
    std::optional<Output> output_;
    std::optional<PmiServer> pmi_;
    std::optional<PmixServer> pmix_;
    std::vector<std::unique_ptr<Task>> tasks_;
    std::optional<Input> input_;
    std::optional<ProctableService> proctable_;
    std::optional<Terminus> terminus_;
    std::optional<RexecServer> rexec_;  // flux exec --jobid
    std::optional<Sysmon> sysmon_;
    Environment environment_;
    std::optional<ShellFsm> fsm_;
    boost::asio::steady_timer exit_timer_, signal_timer_, rexec_timer_, output_timer_,
        reap_timer_, probe_timer_;
    std::string program_;  // of the first task, when it may be an MPI program without PMI
    bool pmix_used_ = false, mpi_loaded_ = false;
    std::optional<int> final_code_;  // of the tasks
    bool output_over_ = false;       // nothing of it is waited for
    bool descendants_over_ = false;
    std::optional<int> exit_code_;   // once all is done
};

}  // namespace sluice::shell
