// Whether a process is an MPI program: for the hint to users whose ranks found no PMI.
#pragma once

#include <sys/types.h>

#include <string>

namespace sluice::shell {

/// The file that `pid` runs now, or nothing.
std::string program_of(pid_t pid);
/// Whether an ELF program is linked to a library of MPI (libmpi*, which libmpich* is too).
bool links_mpi(const std::string& program);
/// Whether a running process has loaded one: scripts, interpreters and their children's names
/// tell nothing.
bool has_loaded_mpi(pid_t pid);

}  // namespace sluice::shell
