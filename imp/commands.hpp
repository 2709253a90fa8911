// The commands of flux-imp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace sluice::imp {

struct Invocation {
    std::span<char* const> words;          // after the command's name
    std::vector<std::string> environment;  // the caller's; ours is empty
    bool privileged = false;               // installed setuid root
};

// Each returns the wait status of what it ran. Errors: a refusal.
/// exec SHELL ARGUMENT…, with {"J": …} on stdin: runs the job's shell as who signed J. The shell
/// finds the jobspec that was signed on its standard input.
Result<int> exec_command(const Invocation& invocation);
/// run NAME: runs the program of [run.NAME] as root, with the variables that may pass.
Result<int> run_command(const Invocation& invocation);

}  // namespace sluice::imp
