// posix_spawn with the options of a Subprocess: what is decided before the child runs.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "base/aio/subprocess.hpp"
#include "base/result.hpp"

namespace sluice {

/// A descriptor that is closed with its owner.
class OwnedFd {
  public:
    OwnedFd() = default;
    explicit OwnedFd(int fd) : fd_(fd) {}
    OwnedFd(OwnedFd&& other) noexcept : fd_(other.release()) {}
    OwnedFd& operator=(OwnedFd&& other) noexcept;
    ~OwnedFd();
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

  private:
    int fd_ = -1;
};

struct Spawned {
    pid_t pid = 0;
    OwnedFd pidfd;
    std::map<std::string, OwnedFd> ends;  // our ends, by stream name
};

/// The child gets its standard streams and the channels, and no other descriptor of ours.
/// Errors: as Subprocess::start.
Result<Spawned> spawn(const SubprocessOptions& options);

}  // namespace sluice
