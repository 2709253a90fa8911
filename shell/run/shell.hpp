// One job shell from its first message to its end: performs what ShellFsm decides.
#pragma once

#include "base/aio/spawn.hpp"
#include "shell/run/spare_folder.hpp"
#include "shell/run/topology.hpp"

namespace sluice::shell {

struct ShellEnd {
    int code = 1;        // the shell's exit code
    bool clean = false;  // the process may be the shell of another job
};

/// `socket`: the connection to the broker, on which the launcher sends shell.launch first.
/// `topology`: of this machine, or nullptr when it could not be read (no CPU binding then).
/// `spare`: where the process keeps a folder between jobs.
ShellEnd run_shell(OwnedFd socket, const Topology* topology, SpareFolder& spare);

}  // namespace sluice::shell
