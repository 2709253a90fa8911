// One message with a descriptor (SCM_RIGHTS) on a UNIX socket.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "base/aio/spawn.hpp"

namespace sluice {

/// As send(2), with `fd` where it is not negative. Returns bytes sent, -1 with errno.
ssize_t send_with_fd(int socket, const void* data, std::size_t size, int fd);
/// As recv(2); `fd` is what came along, close-on-exec, or empty. Returns bytes received, 0 at the
/// end, -1 with errno.
ssize_t receive_with_fd(int socket, void* data, std::size_t size, OwnedFd& fd);

}  // namespace sluice
