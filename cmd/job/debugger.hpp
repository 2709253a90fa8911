// The MPIR process acquisition interface (MPI Forum, version 1.0): a parallel debugger that
// controls this process reads the job's tasks from symbols of fixed names and stops in
// MPIR_Breakpoint().
#pragma once

#include <vector>

#include "base/proctable.hpp"
#include "base/strong_id.hpp"

namespace sluice::debugger {

/// A debugger has said that it is there, or the user has for it.
bool present();
/// For `--debug`: the debugger comes later.
void expect();
/// Shows it the tasks of a job and stops where it waits for that.
void show_tasks(JobId id, const std::vector<TaskProcess>& tasks);

}  // namespace sluice::debugger
