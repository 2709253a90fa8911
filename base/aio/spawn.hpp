// posix_spawn with the options of a Subprocess: what is decided before the child runs.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "base/aio/subprocess.hpp"
#include "base/owned_fd.hpp"
#include "base/result.hpp"

namespace sluice {

struct Spawned {
    pid_t pid = 0;
    OwnedFd pidfd;
    std::map<std::string, OwnedFd> ends;  // our ends, by stream name
};

/// The child gets its standard streams and the channels, and no other descriptor of ours.
/// Errors: as Subprocess::start.
Result<Spawned> spawn(const SubprocessOptions& options);

}  // namespace sluice
