#include "base/aio/fd_passing.hpp"

#include <sys/socket.h>

#include <cstring>

namespace sluice {

ssize_t send_with_fd(int socket, const void* data, std::size_t size, int fd) {
    iovec bytes{const_cast<void*>(data), size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)]{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (fd >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t receive_with_fd(int socket, void* data, std::size_t size, OwnedFd& fd) {
    iovec bytes{data, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))]{};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got <= 0) return got;
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        int received = -1;
        std::memcpy(&received, CMSG_DATA(header), sizeof received);
        fd = OwnedFd{received};
    }
    return got;
}

}  // namespace sluice
