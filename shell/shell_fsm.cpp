#include "shell/shell_fsm.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace sluice::shell {
namespace {

constexpr int sigkill = 9, sigterm = 15;

/// How a task ended, for notes: "Exit 2", "Terminated" is told as "Signal 15".
std::string how(const TaskExit& exit) {
    if (exit.signaled()) return fmt::format("Signal {}", exit.signum());
    return fmt::format("Exit {}", exit.exit_code());
}

}  // namespace

JsonObject to_json(const TaskExit& exit) {
    JsonObject object;
    object["localid"] = exit.localid;
    object["rank"] = exit.rank;
    object["state"] = "Exited";
    object["pid"] = exit.pid;
    object["wait_status"] = exit.wait_status;
    object["signaled"] = exit.signum();
    object["exitcode"] = exit.exit_code();
    return object;
}

Result<TaskExit> task_exit_from_json(const JsonObject& object) {
    JsonReader in{object};
    TaskExit exit;
    exit.localid = static_cast<std::uint32_t>(in.integer("localid"));
    exit.rank = static_cast<std::uint32_t>(in.integer("rank"));
    exit.pid = static_cast<int>(in.integer("pid"));
    exit.wait_status = static_cast<int>(in.integer("wait_status"));
    if (!in) return in.error();
    return exit;
}

ShellFsm::ShellFsm(Options options) : options_(std::move(options)), tasks_(options_.ranks.size()) {
    if (!leader()) return;
    for (std::uint32_t shell = 1; shell < options_.nnodes; ++shell) followers_.insert(shell);
}

ShellActions ShellFsm::begin() {
    SLUICE_ASSERT(state_ == State::init);
    if (options_.nnodes > 1) {
        state_ = State::barrier;
        return {action::EnterBarrier{}};
    }
    state_ = State::starting;
    return {action::StartTasks{}};
}

ShellActions ShellFsm::on_barrier(const Result<void>& result) {
    if (state_ != State::barrier) return {};
    ShellActions out;
    if (!result) {
        // Another shell ended before all were there; the exec manager tells why.
        exit_code_ = 1;
        state_ = State::finished;
        out.emplace_back(action::Finish{1});
        return out;
    }
    state_ = State::starting;
    out.emplace_back(action::StartTasks{});
    return out;
}

ShellActions ShellFsm::on_started() {
    ShellActions out;
    if (state_ != State::starting) return out;
    state_ = State::running;
    for (Task& task : tasks_) task.running = true;
    for (const int signum : early_signals_) out.emplace_back(action::Signal{signum});
    early_signals_.clear();
    check_finished(out);  // a shell may have no task
    return out;
}

ShellActions ShellFsm::on_start_failed(std::uint32_t localid, const Error& error,
                                       std::uint32_t running) {
    ShellActions out;
    state_ = State::running;
    for (std::uint32_t i = 0; i < tasks_.size(); ++i) {
        tasks_[i].running = i < running;
        tasks_[i].exited = tasks_[i].done = i >= running;
    }
    exit_code_ = std::max(exit_code_, error.errnum() == ENOENT ? 127 : 126);
    const std::string note = fmt::format("task {} (host {}): start failed: {}",
                                         options_.ranks[localid], options_.hostname, error.text());
    out.emplace_back(action::Log{{LogLevel::fatal, "", note}});
    out.emplace_back(action::Raise{note, {}});
    end_tasks(out);
    check_finished(out);
    return out;
}

ShellActions ShellFsm::on_exit(const TaskExit& exit) {
    ShellActions out;
    SLUICE_ASSERT(exit.localid < tasks_.size());
    Task& task = tasks_[exit.localid];
    if (task.exited) return out;
    task.running = false;
    task.exited = true;
    exit_code_ = std::max(exit_code_, exit.exit_code());
    if (leader()) {
        first_exit(exit, options_.hostname, out);
    } else if (!first_ || exit.exit_code() != 0) {
        if (!first_) first_ = exit;
        out.emplace_back(action::TellExit{exit});
    }
    if (killed_ && !any_running()) out.emplace_back(action::AbandonStreams{});
    return out;
}

ShellActions ShellFsm::on_done(std::uint32_t localid) {
    ShellActions out;
    tasks_[localid].done = true;
    check_finished(out);
    return out;
}

ShellActions ShellFsm::on_follower_exit(const TaskExit& exit, const std::string& hostname) {
    ShellActions out;
    first_exit(exit, hostname, out);
    return out;
}

ShellActions ShellFsm::on_follower_complete(std::uint32_t shell_rank) {
    ShellActions out;
    followers_.erase(shell_rank);
    check_finished(out);
    return out;
}

void ShellFsm::first_exit(const TaskExit& exit, const std::string& hostname, ShellActions& out) {
    if (!first_) {
        first_ = exit;
        first_host_ = hostname;
        out.emplace_back(action::PostTaskExit{exit});
        const bool others = options_.nnodes > 1 || tasks_.size() > 1;
        if (options_.exit_timeout && others)
            out.emplace_back(action::ArmExitTimer{*options_.exit_timeout});
    }
    if (options_.exit_on_error && exit.exit_code() != 0) job_failed(exit, hostname, out);
}

void ShellFsm::job_failed(const TaskExit& exit, const std::string& hostname, ShellActions& out) {
    if (failure_told_ || ending_ || killed_) return;
    failure_told_ = true;
    std::string note =
        fmt::format("{}: task rank {} on host {} failed ({}) and exit-on-error is set",
                    options_.job_name, exit.rank, hostname, how(exit));
    out.emplace_back(action::Log{{LogLevel::fatal, "task-exit", note}});
    out.emplace_back(action::Raise{std::move(note), exit.wait_status});
}

ShellActions ShellFsm::on_exit_timer() {
    ShellActions out;
    if (state_ == State::finished || !first_ || failure_told_) return out;
    failure_told_ = true;
    std::string note = fmt::format(
        "{}: task rank {} on host {} exited ({}) and exit-timeout={} has expired",
        options_.job_name, first_->rank, first_host_, how(*first_), options_.exit_timeout_text);
    out.emplace_back(action::Log{{LogLevel::fatal, "task-exit", note}});
    out.emplace_back(action::Raise{std::move(note), first_->wait_status});
    return out;
}

ShellActions ShellFsm::on_kill(int signum) {
    ShellActions out;
    const bool ends = signum == sigkill || signum == sigterm;
    if (state_ == State::finished) return out;
    if (state_ != State::running) {
        if (ends && state_ == State::barrier) {  // nothing runs yet
            state_ = State::finished;
            out.emplace_back(action::Finish{128 + signum});
        } else {
            early_signals_.push_back(signum);
        }
        return out;
    }
    out.emplace_back(action::Signal{signum});
    if (signum == sigkill) {
        killed_ = true;
        if (!any_running()) out.emplace_back(action::AbandonStreams{});
        followers_.clear();  // they got the same signal; do not outlive them in vain
        check_finished(out);
    }
    return out;
}

ShellActions ShellFsm::on_fatal(LogText text) {
    ShellActions out;
    if (state_ == State::finished || ending_) return out;
    out.emplace_back(action::Raise{text.message, {}});
    exit_code_ = std::max(exit_code_, 1);
    if (state_ != State::running) {
        // The exception tells the user already; a log line would say it twice.
        state_ = State::finished;
        out.emplace_back(action::Finish{exit_code_});
        return out;
    }
    text.level = LogLevel::fatal;
    out.emplace_back(action::Log{std::move(text)});
    fatal_ = true;
    end_tasks(out);
    check_finished(out);
    return out;
}

ShellActions ShellFsm::on_lost_broker() {
    ShellActions out;
    if (state_ == State::finished) return out;
    exit_code_ = std::max(exit_code_, 1);
    followers_.clear();
    if (state_ != State::running) {
        state_ = State::finished;
        out.emplace_back(action::Finish{exit_code_});
        return out;
    }
    end_tasks(out);
    check_finished(out);
    return out;
}

void ShellFsm::end_tasks(ShellActions& out) {
    ending_ = killed_ = true;
    if (any_running()) {
        out.emplace_back(action::Signal{sigkill});
    } else {
        out.emplace_back(action::AbandonStreams{});
    }
}

void ShellFsm::check_finished(ShellActions& out) {
    if (state_ != State::running || !std::ranges::all_of(tasks_, &Task::done)) return;
    if (!leader() && !told_complete_) {
        told_complete_ = true;
        out.emplace_back(action::TellComplete{});
    }
    if (!followers_.empty()) return;
    state_ = State::finished;
    out.emplace_back(action::Finish{fatal_ ? 1 : exit_code_});
}

bool ShellFsm::any_running() const {
    return std::ranges::any_of(tasks_, &Task::running);
}

}  // namespace sluice::shell
