#include "base/rpc/local_socket.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace sluice {
namespace {

Error close_with(int socket, int errnum) {
    ::close(socket);
    return Error{errnum};
}

}  // namespace

Result<int> connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return fail(ENAMETOOLONG, "{}: socket path of {} bytes, limit {}; use a shorter rundir",
                    path, path.size(), sizeof address.sun_path - 1);
    path.copy(address.sun_path, path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return Error{errno};
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return close_with(socket, errno);
    return socket;
}

Result<int> connect_to_broker(const std::string& path) {
    SLUICE_TRY(const int socket, connect_unix(path));
    unsigned char welcome = 0;
    const ssize_t got = ::recv(socket, &welcome, 1, MSG_WAITALL);
    if (got != 1) return close_with(socket, got < 0 ? errno : ECONNRESET);
    if (welcome != 0) return close_with(socket, welcome);
    return socket;
}

}  // namespace sluice
