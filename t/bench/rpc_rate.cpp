// What a request costs: round trips through the broker's socket against raw ones of the same size
// between two processes, by a client that does nothing but write and read. Run in an instance.
//
//     rpc_rate     prints NAME VALUE lines: raw_us, ping_us, pings_per_second, put_get_us
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/rfc/message.hpp"
#include "base/rpc/handle.hpp"

using namespace sluice;

namespace {

constexpr std::size_t raw_bytes = 200;

[[noreturn]] void die(const char* what) {
    fmt::print(stderr, "rpc_rate: {}: {}\n", what, std::strerror(errno));
    std::exit(1);
}

void write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
        if (wrote <= 0) die("write");
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

void read_all(int fd, char* to, std::size_t bytes) {
    for (std::size_t got = 0; got < bytes;) {
        const ssize_t n = ::read(fd, to + got, bytes - got);
        if (n <= 0) die("read");
        got += static_cast<std::size_t>(n);
    }
}

template <class Work>
double microseconds_each(int rounds, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return took.count() / rounds;
}

/// Measures in a process of its own: who talks to several is woken up far from them, and slower.
double apart(const std::function<double()>& measure) {
    int ends[2];
    if (::pipe(ends) != 0) die("pipe");
    const pid_t child = ::fork();
    if (child == 0) {
        const double result = measure();
        write_all(ends[1], {reinterpret_cast<const char*>(&result), sizeof result});
        ::_exit(0);
    }
    double result = 0;
    ::close(ends[1]);
    read_all(ends[0], reinterpret_cast<char*>(&result), sizeof result);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return result;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
}

/// A process that sends back what it gets.
class Echo {
  public:
    Echo() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) die("socketpair");
        child_ = ::fork();
        if (child_ == 0) {
            ::close(ends[0]);
            char buffer[raw_bytes];
            for (;;) {
                const ssize_t got = ::read(ends[1], buffer, raw_bytes);
                if (got <= 0) ::_exit(0);
                read_all(ends[1], buffer + got, raw_bytes - static_cast<std::size_t>(got));
                write_all(ends[1], {buffer, raw_bytes});
            }
        }
        ::close(ends[1]);
        socket_ = ends[0];
    }
    ~Echo() {
        ::close(socket_);
        ::waitpid(child_, nullptr, 0);
    }
    void round_trip() {
        char buffer[raw_bytes] = {};
        write_all(socket_, {buffer, raw_bytes});
        read_all(socket_, buffer, raw_bytes);
    }

  private:
    pid_t child_;
    int socket_;
};

class Client {
  public:
    Client() {
        const char* uri = std::getenv("FLUX_URI");
        const auto path = local_socket_path(uri ? uri : "");
        if (!path) die("FLUX_URI");
        socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path->c_str(), path->size() + 1);
        if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            die("connect");
        char welcome = 0;
        read_all(socket_, &welcome, 1);
    }
    ~Client() { ::close(socket_); }

    void send(std::string_view frames) { write_all(socket_, frames); }
    /// Reads `count` responses; an error response ends the program.
    void receive(int count) {
        while (count > 0) {
            std::size_t used = 0;
            for (;;) {
                const auto frame = next_frame(std::string_view{in_}.substr(used));
                if (!frame) die("frame");
                if (!*frame) break;
                const auto message = decode_body((*frame)->body);
                if (!message || message->errnum() != 0) die("response");
                used += (*frame)->bytes_used;
                --count;
            }
            in_.erase(0, used);
            if (count <= 0) return;
            char buffer[65536];
            const ssize_t got = ::read(socket_, buffer, sizeof buffer);
            if (got <= 0) die("read");
            in_.append(buffer, static_cast<std::size_t>(got));
        }
    }

  private:
    int socket_;
    std::string in_;
};

std::string frame_of(std::string topic, const JsonObject& payload) {
    Message request = Message::request(std::move(topic));
    request.aux2 = 1;  // the matchtag
    request.set_json(payload);
    std::string frame;
    append_frame(request, frame);
    return frame;
}

std::string put_frame(std::string_view key, std::string_view value) {
    JsonObject dirent{{"ver", 1}, {"type", "val"}, {"data", base64_encode(value)}};
    JsonArray ops{JsonObject{{"key", key}, {"flags", 0}, {"dirent", dirent}}};
    return frame_of("kvs.commit", {{"namespace", "primary"}, {"flags", 0}, {"ops", ops}});
}

}  // namespace

int main() {
    constexpr int rounds = 15, trips = 1000, window = 256;
    const std::string ping = frame_of("broker.ping", {{"seq", 1}, {"pad", std::string(60, 'p')}});
    const std::string put = put_frame("bench.key", "\"value\"");
    const std::string get =
        frame_of("kvs.lookup", {{"namespace", "primary"}, {"key", "bench.key"}, {"flags", 0}});
    std::string many;
    for (int i = 0; i < window; ++i) many += ping;
    const auto ask = [](Client& client, const std::string& frames, int answers = 1) {
        client.send(frames);
        client.receive(answers);
    };
    std::vector<double> raw, one, batch, put_get;
    for (int i = 0; i < rounds; ++i) {  // in turns, so that all see the same machine
        raw.push_back(apart([&] {
            Echo echo;
            return microseconds_each(trips, [&] { echo.round_trip(); });
        }));
        one.push_back(apart([&] {
            Client client;
            return microseconds_each(trips, [&] { ask(client, ping); });
        }));
        batch.push_back(apart([&] {
            Client client;
            return microseconds_each(10, [&] { ask(client, many, window); });
        }));
        put_get.push_back(apart([&] {
            Client client;
            return microseconds_each(trips / 5, [&] {
                ask(client, put);
                ask(client, get);
            });
        }));
    }
    fmt::print("raw_us {:.2f}\nping_us {:.2f}\npings_per_second {:.0f}\nput_get_us {:.2f}\n",
               median(raw), median(one), window / median(batch) * 1e6, median(put_get));
}
