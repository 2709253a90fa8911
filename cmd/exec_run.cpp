#include "cmd/exec_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdio>

namespace sluice {
namespace {

namespace asio = boost::asio;
constexpr std::int64_t input_bytes_max = 64 * 1024;  // of one write request
constexpr int exit_unreachable = 68, exit_not_executable = 126, exit_not_found = 127;

int start_error_code(int errnum) {
    switch (errnum) {
        case EPERM:
        case EACCES:
            return exit_not_executable;
        case ENOENT:
            return exit_not_found;
        case EHOSTUNREACH:
            return exit_unreachable;
        default:
            return 1;
    }
}

}  // namespace

ExecRun::ExecRun(Handle& flux, ExecOptions options)
    : flux_(flux), options_(std::move(options)), signals_(flux.io()) {
    for (const std::uint32_t rank : options_.ranks) targets_.push_back({.rank = rank});
}

int ExecRun::run() {
    for (Target& target : targets_) start(target);
    if (!options_.background) {
        signals_.add(SIGINT);
        signals_.add(SIGTERM);
        wait_signal();
        if (options_.attach) input_ended_ = true;
    }
    const bool connected = flux_.run_until([&] { return all_done() || given_up_ || detached_; });
    signals_.cancel();
    if (!connected) {
        fmt::print(stderr, "{}: the connection to the broker was lost\n", options_.name);
        return 1;
    }
    if (detached_) {
        fmt::print(stderr, "{}: detached; use 'flux sproc kill {}' to signal it\n", options_.name,
                   options_.attach->text());
        return 0;
    }
    if (given_up_) {
        fmt::print(stderr, "{}: command still running at exit\n", running().to_bracketed());
        return 1;
    }
    if (!options_.quiet) report();
    return exit_code();
}

void ExecRun::start(Target& target) {
    std::int64_t flags = 0;
    if (options_.background)
        flags = options_.waitable ? rexec_flag::waitable : 0;
    else
        flags = rexec_flag::stdout_ | rexec_flag::stderr_;
    if (!options_.background && options_.flow_control) flags |= rexec_flag::write_credit;
    JsonObject payload;
    std::string method = ".exec";
    if (options_.attach) {
        method = ".attach";
        payload = {{"pid", options_.attach->pid},
                   {"flags", rexec_flag::stdout_ | rexec_flag::stderr_}};
        if (options_.attach->pid < 0) payload["label"] = options_.attach->label;
    } else {
        payload = {{"cmd", encode_command(options_.command)}, {"flags", flags}, {"local_flags", 0}};
    }
    const RpcOptions rpc{.nodeid = target.rank, .streaming = !options_.background};
    target.tag = flux_.send(options_.service + method, payload, rpc,
                            [this, &target](const Reply& reply) { on_reply(target, reply); });
}

void ExecRun::on_reply(Target& target, const Reply& reply) {
    if (reply.end_of_stream()) {
        target.done = true;
        return;
    }
    const auto payload = reply.json();
    if (!payload) return on_error(target, payload.error());
    on_stream(target, *payload);
}

void ExecRun::on_stream(Target& target, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string type = in.string("type");
    if (type == "started" || type == "attached") {
        target.pid = in.integer_or("pid", -1);
        if (options_.verbose)
            fmt::print(stderr, "{}: rank {}: pid {} {}\n", options_.name, target.rank, target.pid,
                       type);
        if (options_.background) {
            fmt::print("{}: {}\n", target.rank, target.pid);
            target.done = true;
        } else if (!options_.flow_control) {
            target.credit = input_bytes_max;
            read_input();
        }
    } else if (type == "output") {
        on_output(target, in.object("io"));
    } else if (type == "add-credit") {
        JsonReader channels{in.object("channels")};
        target.credit += channels.integer_or("stdin", 0);
        read_input();
    } else if (type == "finished") {
        target.status = static_cast<int>(in.integer("status"));
        read_input();  // others may go on without this one's credit
    }
}

void ExecRun::on_output(Target& target, const JsonObject& payload) {
    const auto io = decode_io(payload);
    if (!io || io->data.empty()) return;
    std::FILE* to = io->stream == "stderr" ? stderr : stdout;
    if (options_.label_io) fmt::print(to, "{}: ", target.rank);
    std::fwrite(io->data.data(), 1, io->data.size(), to);
    std::fflush(to);
}

void ExecRun::on_error(Target& target, const Error& error) {
    target.done = true;
    target.start_error = error.errnum();
    const std::string word =
        !options_.attach ? options_.command.cmdline.front()
                         : (options_.attach->pid > 0 ? "pid " : "label ") + options_.attach->text();
    fmt::print(stderr, "{}: Error: rank {}: {}: {}\n", options_.name, target.rank, word,
               error.text());
    read_input();
}

std::int64_t ExecRun::input_room() const {
    std::int64_t room = input_bytes_max;
    bool any = false;
    for (const Target& target : targets_) {
        if (target.done || target.status) continue;
        room = std::min(room, target.credit);
        any = true;
    }
    return any ? room : 0;
}

void ExecRun::read_input() {
    if (input_ended_ || reading_ || options_.background) return;
    const std::int64_t room = input_room();
    if (room <= 0) return;
    if (options_.no_input) {
        input_ended_ = true;
        for (const Target& target : targets_) send_io(target, {}, true);
        return;
    }
    reading_ = true;
    buffer_.resize(static_cast<std::size_t>(room));
    if (!input_) {
        input_.emplace(flux_.io());
        boost::system::error_code ignored;
        // A copy, so that closing it leaves standard input alone.
        input_->assign(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ignored);
    }
    const auto take = [this] {
        reading_ = false;
        const ssize_t bytes = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
        if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return read_input();
        if (bytes <= 0) input_ended_ = true;
        send_input(bytes > 0 ? std::string_view{buffer_}.substr(0, bytes) : std::string_view{});
        read_input();
    };
    if (!input_->is_open()) return asio::post(flux_.io(), take);
    input_->async_wait(asio::posix::stream_descriptor::wait_read,
                       [take](const boost::system::error_code& error) {
                           // Files and /dev/null cannot be waited for, and need not be.
                           if (!error || error == asio::error::operation_not_supported) take();
                       });
}

void ExecRun::send_input(std::string_view data) {
    for (Target& target : targets_) {
        if (target.done || target.status) continue;
        if (options_.flow_control) target.credit -= static_cast<std::int64_t>(data.size());
        send_io(target, data, data.empty());
    }
}

void ExecRun::send_io(const Target& target, std::string_view data, bool eof) {
    if (target.done || target.status) return;
    const IoData io{.stream = "stdin",
                    .rank = fmt::format("{}", target.rank),
                    .data = std::string{data},
                    .eof = eof};
    flux_.send(options_.service + ".write", {{"matchtag", target.tag}, {"io", encode_io(io)}},
               {.nodeid = target.rank, .noresponse = true}, {});
}

void ExecRun::wait_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signum) {
        if (error) return;
        on_interrupt(signum);
        wait_signal();
    });
}

void ExecRun::on_interrupt(int signum) {
    const auto now = std::chrono::steady_clock::now();
    if (signum == SIGINT && options_.attach) {
        detached_ = true;
        return;
    }
    if (signum == SIGINT) {
        ++interrupts_;
        if (interrupts_ >= 3 && now - last_interrupt_ < std::chrono::seconds(1)) {
            given_up_ = true;
            return;
        }
        if (interrupts_ >= 2)
            fmt::print(stderr, "{}: interrupt (Ctrl+C) one more time within 1 sec to exit\n",
                       options_.name);
        last_interrupt_ = now;
    }
    for (const Target& target : targets_) {
        if (target.done || target.status || target.pid < 0) continue;
        flux_.send(options_.service + ".kill", {{"pid", target.pid}, {"signum", signum}},
                   {.nodeid = target.rank}, {});
    }
}

bool ExecRun::all_done() const {
    return std::ranges::all_of(targets_, [](const Target& target) { return target.done; });
}

Idset ExecRun::running() const {
    Idset ranks;
    for (const Target& target : targets_)
        if (!target.done) ranks.insert(target.rank);
    return ranks;
}

void ExecRun::report() const {
    std::map<std::pair<int, std::string>, Idset> outcomes;  // by exit code, then text
    for (const Target& target : targets_) {
        if (!target.status || *target.status == 0) continue;
        const int status = *target.status;
        const std::string text = WIFSIGNALED(status) ? std::string{::strsignal(WTERMSIG(status))}
                                                     : fmt::format("Exit {}", WEXITSTATUS(status));
        outcomes[{exit_code_of(status), text}].insert(target.rank);
    }
    for (const auto& [outcome, ranks] : outcomes)
        fmt::print(stderr, "{}: {}\n", ranks.to_bracketed(), outcome.second);
}

int ExecRun::exit_code() const {
    int code = 0;
    for (const Target& target : targets_) {
        if (target.start_error)
            code = std::max(code, options_.background ? 1 : start_error_code(*target.start_error));
        if (target.status) code = std::max(code, exit_code_of(*target.status));
    }
    return code;
}

}  // namespace sluice
