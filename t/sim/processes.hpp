// The processes of a run, see processes.cpp.
#pragma once

namespace sluice::sim {

/// Forgets all of a run.
void clear_processes();

}  // namespace sluice::sim
