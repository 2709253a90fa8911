// The helper while what it was asked for runs: it passes signals on, sees to it that nothing
// survives, and exits as its child did.
//
//   SIGUSR1             SIGKILL to the child (RFC 15: the caller may not signal the user's
//                       processes, but may signal the helper)
//   other signals       to a job's shell; of another program, to its process group
//   the child ends      what a job left behind is killed, whoever it runs as
//   SIGKILL to us       the child gets SIGKILL from the kernel
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

struct Program {
    std::string path;
    std::vector<std::string> arguments;    // with argv[0]
    std::vector<std::string> environment;  // "NAME=value"
};

struct Supervision {
    /// Run in the child before the program: becomes the user. On an error nothing is executed.
    std::function<Result<void>()> prepare;
    bool is_job = false;
};

/// Runs `program` in a session of its own, without any descriptor but 0 to 2. Returns the wait
/// status. Errors: fork.
Result<int> supervise(const Program& program, const Supervision& options);

/// Ends this process as a child with this wait status ended.
[[noreturn]] void end_as(int wait_status);

}  // namespace sluice::imp
