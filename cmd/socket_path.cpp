#include "cmd/socket_path.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace sluice {

Result<int> connect_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(ENAMETOOLONG, "{}: longer than {} bytes", path, sizeof address.sun_path - 1);
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return Error{errno};
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
        const int cause = errno;
        ::close(fd);
        return fail(cause, "{}: {}", path, Error{cause}.text());
    }
    return fd;
}

}  // namespace sluice
