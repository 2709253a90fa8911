// The processes that tasks leave behind. A shell is the parent of every orphan below it
// (PR_SET_CHILD_SUBREAPER), whatever session or group that went to, so none outlives the job.
#pragma once

#include <sys/types.h>

#include <functional>

namespace sluice {

/// From now on processes whose parent dies become children of this one.
void adopt_orphans();
/// Reaps children that have ended. `known` are reaped by whoever started them; while one of those
/// has ended and was not reaped yet, the others wait for the next call.
void reap_orphans(const std::function<bool(pid_t)>& known);
/// Kills every process below this one, with all below them, but no child that is `known`, and reaps
/// what has ended. Costs one system call when there is none. A process that does not die (one in an
/// uninterruptible wait) is left after two seconds: returns false then.
bool kill_descendants(const std::function<bool(pid_t)>& known);

}  // namespace sluice
