// One job shell from its first message to its exit: performs what ShellFsm decides.
#pragma once

#include "shell/run/topology.hpp"

namespace sluice::shell {

/// `socket`: the connection to the broker, on which the launcher sends shell.launch first.
/// `topology`: of this machine, or nullptr when it could not be read (no CPU binding then).
/// Returns the exit code.
int run_shell(int socket, const Topology* topology);

}  // namespace sluice::shell
