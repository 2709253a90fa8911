#include "shell/run/worker.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/aio/fd_passing.hpp"
#include "shell/run/shell.hpp"

namespace sluice::shell {
namespace {

constexpr int jobs_max = 1000;  // what libraries leak comes to an end

bool next_order(int orders, std::uint64_t& id, OwnedFd& socket) {
    ssize_t got = 0;
    do got = receive_with_fd(orders, &id, sizeof id, socket);
    while (got < 0 && errno == EINTR);
    return got == sizeof id && socket.get() >= 0;
}

bool tell(int done, const WorkerDone& word) {
    ssize_t sent = 0;
    do sent = ::write(done, &word, sizeof word);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof word;
}

}  // namespace

int work(WorkerEnds ends, std::uint64_t id, OwnedFd socket, const Topology* topology) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::current_path(error);
    SpareFolder spare;
    for (int jobs = 1;; ++jobs) {
        const ShellEnd end = run_shell(std::move(socket), topology, spare);
        if (!end.clean || jobs == jobs_max || ::chdir(folder.c_str()) != 0) return end.code;
        if (!tell(ends.done.get(), {::getpid(), end.code << 8, id})) return end.code;
        if (!next_order(ends.orders.get(), id, socket)) return 0;
    }
}

}  // namespace sluice::shell
