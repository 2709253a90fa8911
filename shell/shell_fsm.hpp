// The life of one shell, without I/O: events come in, actions go out.
//
//     init --begin--> barrier (more than one shell) --on_barrier--> starting --on_started-->
//     running running --last task done, and on the leader all followers complete--> finished
//     any --on_fatal, lost broker--> ending: tasks get SIGKILL, then finished
//
// Invariants: Finish comes once and is the last action; each local task is reported once; a kill
// that comes before the tasks run is not lost.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "shell/output_records.hpp"

namespace sluice::shell {

struct TaskExit {  // shell.task-exit (RFC 50)
    std::uint32_t localid = 0, rank = 0;
    int pid = 0, wait_status = 0;
    bool signaled() const { return (wait_status & 0x7f) != 0; }
    int signum() const { return wait_status & 0x7f; }
    /// The code, or 128 + signal.
    int exit_code() const { return signaled() ? 128 + signum() : (wait_status >> 8) & 0xff; }
    friend bool operator==(const TaskExit&, const TaskExit&) = default;
};
JsonObject to_json(const TaskExit& exit);
/// Errors: EPROTO naming the key.
Result<TaskExit> task_exit_from_json(const JsonObject& object);

namespace action {
struct EnterBarrier {
    friend bool operator==(const EnterBarrier&, const EnterBarrier&) = default;
};
struct StartTasks {
    friend bool operator==(const StartTasks&, const StartTasks&) = default;
};
struct PostTaskExit {  // leader: shell.task-exit, for the first exit of the job
    TaskExit exit;
    friend bool operator==(const PostTaskExit&, const PostTaskExit&) = default;
};
struct TellExit {  // follower -> leader "doom": our first exit, and each failed one
    TaskExit exit;
    friend bool operator==(const TellExit&, const TellExit&) = default;
};
struct TellComplete {  // follower -> leader "tasks-complete"
    friend bool operator==(const TellComplete&, const TellComplete&) = default;
};
struct ArmExitTimer {
    double seconds = 0;
    friend bool operator==(const ArmExitTimer&, const ArmExitTimer&) = default;
};
struct Raise {  // job-manager.raise type exec, severity 0
    std::string note;
    std::optional<int> wait_status;
    friend bool operator==(const Raise&, const Raise&) = default;
};
struct Log {
    LogText text;
    friend bool operator==(const Log&, const Log&) = default;
};
struct Signal {  // to all local tasks
    int signum = 0;
    friend bool operator==(const Signal&, const Signal&) = default;
};
struct AbandonStreams {  // stop waiting for output of tasks that have ended
    friend bool operator==(const AbandonStreams&, const AbandonStreams&) = default;
};
struct Finish {
    int exit_code = 0;
    friend bool operator==(const Finish&, const Finish&) = default;
};
}  // namespace action

using ShellAction =
    std::variant<action::EnterBarrier, action::StartTasks, action::PostTaskExit, action::TellExit,
                 action::TellComplete, action::ArmExitTimer, action::Raise, action::Log,
                 action::Signal, action::AbandonStreams, action::Finish>;
using ShellActions = std::vector<ShellAction>;

class ShellFsm {
  public:
    struct Options {
        std::uint32_t shell_rank = 0, nnodes = 1;
        std::vector<std::uint32_t> ranks;  // of the local tasks, by local id
        std::optional<double> exit_timeout;
        std::string exit_timeout_text;  // as the user wrote it ("30s")
        bool exit_on_error = false;
        std::string job_name, hostname;
    };
    explicit ShellFsm(Options options);

    ShellActions begin();
    ShellActions on_barrier(const Result<void>& result);
    /// All local tasks run.
    ShellActions on_started();
    /// Task `localid` could not be started; `running` tasks before it were.
    ShellActions on_start_failed(std::uint32_t localid, const Error& error, std::uint32_t running);
    /// A task has ended (its output may still come).
    ShellActions on_exit(const TaskExit& exit);
    /// A task has ended and its output too.
    ShellActions on_done(std::uint32_t localid);
    /// From followers, on the leader.
    ShellActions on_follower_exit(const TaskExit& exit, const std::string& hostname);
    ShellActions on_follower_complete(std::uint32_t shell_rank);
    ShellActions on_exit_timer();
    ShellActions on_kill(int signum);
    /// The job cannot go on: told to the user and raised, local tasks are killed.
    ShellActions on_fatal(LogText text);
    /// The broker is gone.
    ShellActions on_lost_broker();

  private:
    enum class State { init, barrier, starting, running, finished };
    struct Task {
        bool running = false, exited = false, done = false;
    };
    void first_exit(const TaskExit& exit, const std::string& hostname, ShellActions& out);
    void job_failed(const TaskExit& exit, const std::string& hostname, ShellActions& out);
    void end_tasks(ShellActions& out);
    void check_finished(ShellActions& out);
    bool any_running() const;
    bool leader() const { return options_.shell_rank == 0; }

    Options options_;
    State state_ = State::init;
    std::vector<Task> tasks_;
    std::set<std::uint32_t> followers_;  // not complete yet
    std::vector<int> early_signals_;
    std::optional<TaskExit> first_;  // first exit of the job (leader) or of this shell
    std::string first_host_;
    int exit_code_ = 0;
    bool fatal_ = false;  // the shell's own failure counts, not how it killed its tasks
    bool ending_ = false, killed_ = false, told_complete_ = false, failure_told_ = false;
};

}  // namespace sluice::shell
