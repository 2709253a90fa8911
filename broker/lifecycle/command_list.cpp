#include "broker/lifecycle/command_list.hpp"

#include <signal.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdlib>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

constexpr int code_not_found = 127, code_not_executable = 126;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

StageCommand shell_command(const std::string& text) {
    const char* shell = std::getenv("SHELL");
    return {{shell && *shell ? shell : "/bin/bash", "-c", text}, text, false};
}

void CommandList::run(std::string stage, std::vector<StageCommand> commands,
                      std::vector<std::string> environment, bool new_group,
                      std::function<void(int)> done) {
    stage_ = std::move(stage);
    commands_ = std::move(commands);
    environment_ = std::move(environment);
    done_ = std::move(done);
    new_group_ = new_group;
    index_ = 0;
    code_ = 0;
    aborted_ = false;
    next();
}

void CommandList::next() {
    if (index_ == commands_.size() || aborted_) {
        const int code = code_;
        return boost::asio::post(io_, [done = std::exchange(done_, {}), code] { done(code); });
    }
    const StageCommand& command = commands_[index_];
    SubprocessOptions options{.argv = command.argv,
                              .environment = environment_,
                              .new_group = new_group_};
    options.stdin_kind = command.terminal ? StdioKind::inherit : StdioKind::null;
    options.stdout_kind = options.stderr_kind =
        command.terminal ? StdioKind::inherit : StdioKind::pipe;
    Subprocess::Callbacks callbacks;
    callbacks.on_output = [this](std::string_view stream, std::string_view line) {
        if (line.empty()) return;
        if (line.ends_with('\n')) line.remove_suffix(1);
        log_.log(stream == "stderr" ? LogLevel::err : LogLevel::info, "broker",
                 fmt::format("{}.{}: {}", stage_, index_, line));
    };
    // Output still in a pipe belongs into the log; on a terminal a background child may go on.
    (command.terminal ? callbacks.on_exit : callbacks.on_complete) = [this](int status) {
        finish(status);
    };
    started_ = now();
    auto process = Subprocess::start(io_, std::move(options), std::move(callbacks));
    if (!process) {
        const int cause = process.error().errnum();
        record(command, cause == ENOENT ? code_not_found : code_not_executable,
               process.error().text());
        ++index_;
        return next();
    }
    current_ = *std::move(process);
    if (command.terminal && new_group_) give_terminal_to(current_->pid());
}

void CommandList::finish(int status) {
    const bool had_terminal = commands_[index_].terminal && new_group_;
    int code = exit_code_of(status);
    if (code == 0 && aborted_) code = 1;
    record(commands_[index_], code, describe_wait_status(status));
    if (had_terminal) give_terminal_to(::getpgrp());
    ++index_;
    // The process object must outlive its own callback.
    boost::asio::post(io_, [this, finished = std::shared_ptr<Subprocess>(std::move(current_))] {
        next();
    });
}

void CommandList::record(const StageCommand& command, int code, const std::string& outcome) {
    if (code_ == 0) code_ = code;
    log_.log(code ? LogLevel::err : LogLevel::info, "broker",
             fmt::format("{}.{}: {} {} {:.1f}s", stage_, index_, command.shown, outcome,
                         now() - started_));
}

void CommandList::abort(int signum) {
    aborted_ = true;
    if (current_) (void)current_->kill(signum);
}

void CommandList::give_terminal_to(pid_t group) {
    if (!::isatty(STDIN_FILENO)) return;
    // From the background tcsetpgrp() would stop us.
    struct sigaction ignore {}, old {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGTTOU, &ignore, &old);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::sigaction(SIGTTOU, &old, nullptr);
}

}  // namespace sluice
