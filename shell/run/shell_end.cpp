// The end of a shell: what its tasks left behind, what followers of the output still take, and its
// last word to the launcher.
#include <signal.h>

#include <algorithm>
#include <cmath>

#include "base/aio/descendants.hpp"
#include "shell/run/shell_parts.hpp"

namespace sluice::shell {

/// Processes that tasks left to us do not stay zombies while the job runs.
void Shell::reap_now_and_then() {
    reap_timer_.expires_after(std::chrono::seconds{5});
    reap_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        reap_orphans([this](pid_t pid) { return is_known(pid); });
        reap_now_and_then();
    });
}

bool Shell::is_known(pid_t pid) const {
    if (rexec_ && rexec_->has(pid)) return true;
    return std::ranges::any_of(tasks_, [pid](const auto& task) { return task->pid() == pid; });
}

void Shell::on(const action::Finish& action) {
    if (final_code_) return;
    final_code_ = action.exit_code;
    if (rexec_ && !rexec_->idle()) end_rexec();
    wait_for_followers();
    try_finish();
}

/// A client that reads slowly does not hold up the end of the job.
void Shell::wait_for_followers() {
    output_over_ = output_->settled();
    if (output_over_) return;
    log_->flush();
    output_->on_settled([this] {
        output_over_ = true;
        try_finish();
    });
    output_timer_.expires_after(std::chrono::seconds{1});
    output_timer_.async_wait([this](const boost::system::error_code& error) {
        if (error) return;
        output_over_ = true;
        try_finish();
    });
}

void Shell::try_finish() {
    if (!final_code_ || exit_code_) return;
    const bool waiting = !output_over_ || (rexec_ && !rexec_->idle());
    if (!waiting || !handle_.connected()) finish();
}

/// What flux exec --jobid started does not outlive the job: TERM, then KILL.
void Shell::end_rexec() {
    rexec_->kill_all(SIGTERM);
    rexec_timer_.expires_after(
        std::chrono::milliseconds(std::llround(options_.rexec_shutdown_timeout * 1000)));
    rexec_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) rexec_->kill_all(SIGKILL);
    });
}

void Shell::finish() {
    if (exit_code_) return;
    exit_code_ = final_code_;
    rexec_timer_.cancel();
    output_timer_.cancel();
    reap_timer_.cancel();
    probe_timer_.cancel();
    exit_timer_.cancel();
    signal_timer_.cancel();
    descendants_over_ = kill_descendants([](pid_t) { return false; });
    if (!descendants_over_)
        warn("", fmt::format("host {}: processes of the job do not end", info_.hostname));
    if (sysmon_) sysmon_->end();
    if (folder_) folder_->remove();
    output_->finish();
    log_->flush();
    if (input_) input_->finish();
    JsonObject payload;
    payload["id"] = static_cast<std::int64_t>(info_.id.value);
    payload["status"] = *exit_code_ << 8;
    handle_.send("job-launcher.shell-exit", payload,
                 {.nodeid = info_.rank.value, .noresponse = true}, {});
}

bool Shell::clean() const {
    return descendants_over_ && handle_.connected() && !pmix_;
}

}  // namespace sluice::shell
