#include "imp/supervise.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/aio/descendants.hpp"
#include "imp/log.hpp"

namespace sluice::imp {
namespace {

constexpr int exit_cannot_execute = 126, exit_not_found = 127;

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> array;
    for (const std::string& word : words) array.push_back(const_cast<char*>(word.c_str()));
    array.push_back(nullptr);
    return array;
}

void reset_signals() {
    for (int signum = 1; signum < NSIG; ++signum) ::signal(signum, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_child(const Program& program, const Supervision& options, pid_t parent) {
    ::setsid();
    if (const auto ready = options.prepare(); !ready) {
        tell(ready.error().text());
        ::_exit(1);
    }
    // Set after the switch, which clears it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close_range(3, ~0U, 0);
    reset_signals();
    if (::chdir("/") == 0) {
        const auto arguments = pointers(program.arguments);
        const auto variables = pointers(program.environment);
        ::execve(program.path.c_str(), arguments.data(), variables.data());
    }
    const int error = errno;
    tell(program.path + ": " + Error{error}.text());
    ::_exit(error == EACCES || error == EPERM ? exit_cannot_execute : exit_not_found);
}

/// The wait status of `child`, passing on the signals that come before.
int wait_for(pid_t child, const sigset_t& all, bool is_job) {
    while (true) {
        siginfo_t info{};
        const int signum = ::sigwaitinfo(&all, &info);
        if (signum < 0) continue;
        if (signum != SIGCHLD) {
            const int sent = signum == SIGUSR1 ? SIGKILL : signum;
            // It has no group of its own before it is ready.
            if (is_job || ::kill(-child, sent) != 0) ::kill(child, sent);
        }
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
            if (pid == child) return status;
    }
}

}  // namespace

Result<int> supervise(const Program& program, const Supervision& options) {
    sigset_t all;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    if (options.is_job) adopt_orphans();
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return fail(errno, "fork: {}", Error{errno}.text());
    if (child == 0) run_child(program, options, parent);
    const int status = wait_for(child, all, options.is_job);
    if (options.is_job && !kill_descendants([](pid_t) { return false; }))
        log_refusal(fmt::format("{}: some of its processes cannot be killed", program.path));
    return status;
}

void end_as(int wait_status) {
    if (!WIFSIGNALED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    reset_signals();
    ::raise(WTERMSIG(wait_status));
    ::_exit(128 + WTERMSIG(wait_status));
}

}  // namespace sluice::imp
