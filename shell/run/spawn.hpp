// Starts a task: a vfork-like clone, so that the cost does not grow with the shell, and everything
// posix_spawn cannot do: CPU set, resource limits, controlling terminal, death with the shell.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice::shell {

struct TaskSpawn {
    std::vector<std::string> argv;         // argv[0] is searched in PATH of the environment
    std::vector<std::string> environment;  // "NAME=value"
    int in = -1, out = -1, err = -1;       // become 0, 1, 2; all above 2
    int keep = -1;                         // stays open under its number (PMI_FD)
    bool new_group = true;
    bool terminal = false;  // `in` is a terminal: new session, controlling
    Idset cpus;             // empty: as the shell
    std::vector<std::pair<int, std::int64_t>> rlimits;  // resource, soft limit (-1 unlimited)
    bool stop_in_exec = false;  // stopped before its first instruction, for a debugger
    std::optional<int> oom_adjust;  // what may not be set (only root lowers it) stays as it is
};

struct SpawnedTask {
    pid_t pid;
    OwnedFd pidfd;
};
/// Errors: the errno of execve with the program's name: ENOENT, EACCES, …
Result<SpawnedTask> spawn_task(const TaskSpawn& task);

/// Whether `soft` is more than the hard limit of `resource`, which is then what a task gets.
bool above_hard_limit(int resource, std::int64_t soft);
/// The RLIMIT_ constant of a lower-case name ("nofile"), or -1.
int rlimit_resource(const std::string& name);

}  // namespace sluice::shell
