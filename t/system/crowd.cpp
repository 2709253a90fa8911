// Clients by the thousand that watch, and vanish in the middle of it.
//
//     crowd CLIENTS WATCHES CYCLES JOBID
//
// Each cycle connects CLIENTS clients; each opens WATCHES watches (KVS keys that do not exist yet,
// and the eventlog of a job that runs), reads some of the answers, and drops the connection. Prints
// the descriptors and the resident KiB of the broker after the first cycle and after the last.
#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "base/rfc/message.hpp"
#include "base/rpc/handle.hpp"

using namespace sluice;

namespace {

[[noreturn]] void die(const std::string& what) {
    fmt::print(stderr, "crowd: {}: {}\n", what, std::strerror(errno));
    std::exit(1);
}

int connect_to(const std::string& path) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (socket < 0) die("socket");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    while (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        if (errno != EAGAIN && errno != EINTR) die("connect");
    return socket;
}

std::string watch_frames(int watches, std::int64_t job) {
    std::string frames;
    for (int i = 0; i < watches; ++i) {
        const bool kvs = i % 2 == 0;
        Message request = Message::request(kvs ? "kvs-watch.lookup" : "job-info.eventlog-watch");
        request.flags |= message_flag::streaming;
        request.aux2 = static_cast<std::uint32_t>(i + 1);  // the matchtag
        constexpr int watch = 4, waitcreate = 8;           // FLUX_KVS_ flags
        request.set_json(kvs ? JsonObject{{"namespace", "primary"},
                                          {"key", fmt::format("crowd.{}", i)},
                                          {"flags", watch | waitcreate}}
                             : JsonObject{{"id", job}, {"path", "eventlog"}, {"flags", 0}});
        append_frame(request, frames);
    }
    return frames;
}

struct Use {
    std::size_t descriptors = 0, resident_kib = 0;
};

Use use_of(const std::string& pid) {
    Use use;
    DIR* folder = ::opendir(("/proc/" + pid + "/fd").c_str());
    if (!folder) die("/proc/" + pid + "/fd");
    while (::readdir(folder)) ++use.descriptors;
    ::closedir(folder);
    std::ifstream status("/proc/" + pid + "/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") status >> use.resident_kib;
    return use;
}

void cycle(const std::string& path, int clients, const std::string& frames) {
    std::vector<int> sockets;
    for (int i = 0; i < clients; ++i) {
        sockets.push_back(connect_to(path));
        char welcome = 1;
        if (::read(sockets.back(), &welcome, 1) != 1 || welcome != 0) die("welcome");
        const ssize_t wrote = ::send(sockets.back(), frames.data(), frames.size(), MSG_NOSIGNAL);
        if (wrote != ssize_t(frames.size())) die("send");
    }
    for (std::size_t i = 0; i < sockets.size(); i += 2) {  // the others never read
        char buffer[4096];
        pollfd ready{sockets[i], POLLIN, 0};
        if (::poll(&ready, 1, 10000) != 1 || ::read(sockets[i], buffer, sizeof buffer) <= 0)
            die("no answer");
    }
    for (const int socket : sockets) ::close(socket);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return fmt::print(stderr, "usage: crowd CLIENTS WATCHES CYCLES JOBID\n"), 2;
    const int clients = std::atoi(argv[1]), watches = std::atoi(argv[2]),
              cycles = std::atoi(argv[3]);
    auto flux = Handle::open();
    if (!flux) die(flux.error().text());
    const auto pid = flux->attr("broker.pid");
    const auto path = local_socket_path(std::getenv("FLUX_URI"));
    if (!pid || !path) die("no instance");
    const std::string frames = watch_frames(watches, std::atoll(argv[4]));
    const auto settle = [&] {  // the broker has seen all that hung up when it answers this
        for (int i = 0; i < 3; ++i) {
            if (!flux->call("broker.ping", {{"seq", i}})) die("ping");
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return use_of(*pid);
    };
    cycle(*path, clients, frames);
    const Use first = settle();
    for (int i = 0; i < cycles; ++i) cycle(*path, clients, frames);
    const Use last = settle();
    fmt::print("descriptors {} {}\nresident_kib {} {}\n", first.descriptors, last.descriptors,
               first.resident_kib, last.resident_kib);
}
