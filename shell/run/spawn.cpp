#include "shell/run/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace sluice::shell {
namespace {

constexpr std::size_t stack_bytes = 64 * 1024;

/// All that the child needs, prepared before: it shares our memory and may not allocate.
struct Plan {
    const TaskSpawn* task;
    std::vector<std::string> programs;  // candidates of the PATH search, in order
    std::vector<char*> argv, environment;
    std::vector<char*> script_argv;  // "/bin/sh", program, argument…
    cpu_set_t* cpus = nullptr;
    std::size_t cpus_bytes = 0;
    std::string oom_adjust;
    // Written by the child.
    int error = 0;
    bool untraceable = false;
};

std::string_view variable(const std::vector<std::string>& environment, std::string_view name) {
    for (const std::string_view entry : environment)
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
    return {};
}

std::vector<std::string> candidates(const TaskSpawn& task) {
    const std::string& name = task.argv[0];
    if (name.empty() || name.find('/') != name.npos) return {name};
    std::string_view path = variable(task.environment, "PATH");
    if (path.empty()) path = "/bin:/usr/bin";
    std::vector<std::string> programs;
    while (true) {
        const std::size_t colon = std::min(path.find(':'), path.size());
        const std::string_view folder = colon == 0 ? "." : path.substr(0, colon);
        programs.push_back(fmt::format("{}/{}", folder, name));
        if (colon == path.size()) return programs;
        path.remove_prefix(colon + 1);
    }
}

void limit(int resource, std::int64_t soft) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
    now.rlim_cur = soft < 0 ? RLIM_INFINITY : static_cast<rlim_t>(soft);
    // Above the hard limit the hard limit is what the user can have.
    if (now.rlim_max != RLIM_INFINITY) now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

/// Tries the candidates as execvp does: EACCES is remembered, a script without "#!" goes to sh.
int exec_first(Plan& plan) {
    int cause = ENOENT;
    for (std::string& program : plan.programs) {
        // To look costs a tenth of an execve that fails, and most of them fail.
        if (::access(program.c_str(), X_OK) == 0)
            ::execve(program.c_str(), plan.argv.data(), plan.environment.data());
        if (errno == ENOEXEC) {
            plan.script_argv[1] = program.data();
            ::execve("/bin/sh", plan.script_argv.data(), plan.environment.data());
        }
        if (errno == EACCES) {
            cause = EACCES;
        } else if (errno != ENOENT && errno != ENOTDIR) {
            return errno;
        }
    }
    return cause;
}

/// Leaves the standard streams and `keep`. What an old kernel cannot close this way is
/// close-on-exec anyway.
void close_others(int keep) {
    const unsigned first = STDERR_FILENO + 1;
    const unsigned kept = keep < 0 ? first - 1 : static_cast<unsigned>(keep);
    if (kept > first) ::close_range(first, kept - 1, 0);
    if (keep >= 0) ::fcntl(keep, F_SETFD, 0);
    ::close_range(kept + 1, ~0U, 0);
}

void write_oom_score(const std::string& score) {
    const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    [[maybe_unused]] const ssize_t size = ::write(fd, score.data(), score.size());
    ::close(fd);
}

int child(void* argument) {
    Plan& plan = *static_cast<Plan*>(argument);
    const TaskSpawn& task = *plan.task;
    if (task.terminal) {
        ::setsid();
        ::ioctl(task.in, TIOCSCTTY, 0);
    } else if (task.new_group) {
        ::setpgid(0, 0);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(task.in, STDIN_FILENO);
    ::dup2(task.out, STDOUT_FILENO);
    ::dup2(task.err, STDERR_FILENO);
    close_others(task.keep);
    if (!plan.oom_adjust.empty()) write_oom_score(plan.oom_adjust);
    for (const auto& [resource, soft] : task.rlimits) limit(resource, soft);
    if (plan.cpus) ::sched_setaffinity(0, plan.cpus_bytes, plan.cpus);
    ::signal(SIGPIPE, SIG_DFL);  // the one signal a shell ignores
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (task.stop_in_exec && ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
        plan.error = errno;
        plan.untraceable = true;
        ::_exit(127);
    }
    plan.error = exec_first(plan);
    ::_exit(127);
}

/// execve stopped the traced child; from now on it is stopped for whoever attaches to it.
void leave_stopped(pid_t pid) {
    int status = 0;
    if (::waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status))
        ::ptrace(PTRACE_DETACH, pid, nullptr, SIGSTOP);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> result;
    result.reserve(words.size() + 1);
    for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
    result.push_back(nullptr);
    return result;
}

/// Runs `child` on a stack of its own while we wait (CLONE_VFORK). Signals stay blocked meanwhile:
/// a handler in the child would run on our memory.
pid_t clone_child(Plan& plan, int& pidfd) {
    static const auto stack =
        static_cast<char*>(::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
    if (stack == MAP_FAILED) return -1;
    sigset_t all, before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::clone(child, stack + stack_bytes,
                              CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &plan, &pidfd);
    const int cause = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    errno = cause;
    return pid;
}

}  // namespace

Result<SpawnedTask> spawn_task(const TaskSpawn& task) {
    if (task.argv.empty()) return fail(EINVAL, "no command was given");
    Plan plan{};
    plan.task = &task;
    if (task.oom_adjust) plan.oom_adjust = std::to_string(*task.oom_adjust);
    plan.programs = candidates(task);
    plan.argv = pointers(task.argv);
    plan.environment = pointers(task.environment);
    std::string sh = "/bin/sh";
    plan.script_argv = plan.argv;
    plan.script_argv.insert(plan.script_argv.begin(), sh.data());
    std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> cpus{nullptr,
                                                          [](cpu_set_t* set) { CPU_FREE(set); }};
    if (!task.cpus.empty()) {
        const std::size_t count = std::size_t{task.cpus.last()} + 1;
        cpus.reset(CPU_ALLOC(count));
        plan.cpus_bytes = CPU_ALLOC_SIZE(count);
        CPU_ZERO_S(plan.cpus_bytes, cpus.get());
        for (const Idset::Id cpu : task.cpus) CPU_SET_S(cpu, plan.cpus_bytes, cpus.get());
        plan.cpus = cpus.get();
    }
    int pidfd = -1;
    const pid_t pid = clone_child(plan, pidfd);
    if (pid < 0) return fail(errno, "{}: {}", task.argv[0], Error{errno}.text());
    OwnedFd owned{pidfd};
    if (plan.error) {
        ::waitpid(pid, nullptr, 0);
        return fail(plan.error, "{}: {}",
                    plan.untraceable ? "stop-tasks-in-exec: ptrace" : task.argv[0],
                    Error{plan.error}.text());
    }
    if (task.stop_in_exec) leave_stopped(pid);
    return SpawnedTask{pid, std::move(owned)};
}

bool above_hard_limit(int resource, std::int64_t soft) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
    if (now.rlim_max == RLIM_INFINITY) return false;
    return soft < 0 || static_cast<rlim_t>(soft) > now.rlim_max;
}

int rlimit_resource(const std::string& name) {
    static constexpr std::array<std::pair<std::string_view, int>, 16> names{{
        {"cpu", RLIMIT_CPU},
        {"fsize", RLIMIT_FSIZE},
        {"data", RLIMIT_DATA},
        {"stack", RLIMIT_STACK},
        {"core", RLIMIT_CORE},
        {"nofile", RLIMIT_NOFILE},
        {"as", RLIMIT_AS},
        {"rss", RLIMIT_RSS},
        {"nproc", RLIMIT_NPROC},
        {"memlock", RLIMIT_MEMLOCK},
        {"locks", RLIMIT_LOCKS},
        {"sigpending", RLIMIT_SIGPENDING},
        {"msgqueue", RLIMIT_MSGQUEUE},
        {"nice", RLIMIT_NICE},
        {"rtprio", RLIMIT_RTPRIO},
        {"rttime", RLIMIT_RTTIME},
    }};
    for (const auto& [known, resource] : names)
        if (known == name) return resource;
    return -1;
}

}  // namespace sluice::shell
