// A process that is the shell of one job after the other. A fresh process costs more than all that
// a shell does in it; what a job may leave behind in it is what clean() of its shell looks at.
#pragma once

#include <cstdint>

#include "base/aio/spawn.hpp"
#include "shell/run/topology.hpp"

namespace sluice::shell {

/// From a worker to its zygote, in one write: the job is over, and it waits for the next.
struct WorkerDone {
    std::int32_t pid = 0, status = 0;  // wait status
    std::uint64_t id = 0;              // of the job
};

struct WorkerEnds {
    OwnedFd orders;  // job ids, each with the socket of a shell
    OwnedFd done;    // takes WorkerDone
};

/// Runs the shell of job `id` on `socket`, then those of the orders, until there are no more or
/// the process is not as it was. Returns the exit code: that of the last shell, 0 after the end of
/// the orders.
int work(WorkerEnds ends, std::uint64_t id, OwnedFd socket, const Topology* topology);

}  // namespace sluice::shell
