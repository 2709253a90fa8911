#include "shell/run/task.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice::shell {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
constexpr int drain_reads = 64;    // more than a pipe holds, unless others still write into it
constexpr int reads_per_turn = 4;  // then the other tasks' streams have their turn

struct Pipe {
    OwnedFd read, write;
};

Result<Pipe> make_pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return fail(errno, "pipe: {}", Error{errno}.text());
    return Pipe{OwnedFd{fds[0]}, OwnedFd{fds[1]}};
}

void assign(asio::posix::stream_descriptor& to, OwnedFd fd) {
    to.assign(fd.release());
    to.non_blocking(true);
}

}  // namespace

Task::Task(asio::io_context& io, Options options, Callbacks callbacks)
    : options_(options),
      callbacks_(std::move(callbacks)),
      out_{Descriptor{io}, OutputCutter{options.out_by_lines}},
      err_{Descriptor{io}, OutputCutter{options.err_by_lines}},
      input_(io),
      pidfd_(io) {}

Result<void> Task::start(TaskSpawn spawn) {
    OwnedFd childs[3];
    SLUICE_CHECK(options_.terminal ? make_terminal(spawn, childs) : make_pipes(spawn, childs));
    own_group_ = spawn.new_group || options_.terminal;
    auto started = spawn_task(spawn);
    if (!started) return started.error();
    pid_ = started->pid;
    assign(pidfd_, std::move(started->pidfd));
    wait_exit();
    read(Stream::out);
    if (!options_.terminal) read(Stream::err);
    return {};
}

Result<void> Task::make_pipes(TaskSpawn& spawn, OwnedFd (&childs)[3]) {
    if (options_.stdin_file >= 0) {
        spawn.in = options_.stdin_file;
    } else {
        SLUICE_TRY(Pipe in, make_pipe());
        childs[0] = std::move(in.read);
        assign(input_, std::move(in.write));
        spawn.in = childs[0].get();
    }
    SLUICE_TRY(Pipe out, make_pipe());
    SLUICE_TRY(Pipe err, make_pipe());
    assign(out_.file, std::move(out.read));
    assign(err_.file, std::move(err.read));
    childs[1] = std::move(out.write);
    childs[2] = std::move(err.write);
    spawn.out = childs[1].get();
    spawn.err = childs[2].get();
    return {};
}

Result<void> Task::make_terminal(TaskSpawn& spawn, OwnedFd (&childs)[3]) {
    OwnedFd master{::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)};
    char name[64];
    if (master.get() < 0 || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0 ||
        ::ptsname_r(master.get(), name, sizeof name) != 0)
        return fail(errno, "pty: {}", Error{errno}.text());
    childs[0] = OwnedFd{::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)};
    if (childs[0].get() < 0) return fail(errno, "{}: {}", name, Error{errno}.text());
    OwnedFd writer{::fcntl(master.get(), F_DUPFD_CLOEXEC, 3)};
    assign(input_, std::move(writer));
    assign(out_.file, std::move(master));
    spawn.in = spawn.out = spawn.err = childs[0].get();
    spawn.terminal = true;
    return {};
}

void Task::read(Stream stream) {
    Source& from = source(stream);
    if (from.ended || from.waiting || !from.file.is_open()) return;
    from.waiting = true;
    from.file.async_wait(Descriptor::wait_read, [this, stream](const error_code& error) {
        source(stream).waiting = false;
        if (!error) read_some(stream);
    });
}

void Task::read_some(Stream stream) {
    for (int turn = 0; turn < reads_per_turn && !source(stream).ended; ++turn) {
        if (!callbacks_.may_read()) return;  // resume_output() goes on
        if (!take(stream)) break;
    }
    read(stream);
}

/// False when there is nothing to read now.
bool Task::take(Stream stream) {
    static char buffer[read_bytes];
    Source& from = source(stream);
    ssize_t got = -1;
    do {
        got = ::read(from.file.native_handle(), buffer, sizeof buffer);
    } while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN) return false;
    if (got <= 0) {  // a terminal ends with EIO
        end(stream);
        return false;
    }
    const std::string data = from.cutter.append({buffer, static_cast<std::size_t>(got)});
    if (!data.empty()) callbacks_.on_output(stream, data);
    return true;
}

/// Its last words come before the news of its end. A terminal does not hold many.
void Task::drain() {
    for (const Stream stream : {Stream::err, Stream::out})
        for (int turn = 0; turn < drain_reads && !source(stream).ended; ++turn)
            if ((!options_.terminal && !callbacks_.may_read()) || !take(stream)) break;
}

void Task::end(Stream stream) {
    Source& from = source(stream);
    if (from.ended) return;
    from.ended = true;
    if (const std::string rest = from.cutter.finish(); !rest.empty())
        callbacks_.on_output(stream, rest);
    if (from.file.is_open()) from.file.close();
    callbacks_.on_end(stream);
    if (options_.terminal && stream == Stream::out) {
        if (input_.is_open()) input_.close();
        end(Stream::err);
    }
    check_done();
}

void Task::wait_exit() {
    pidfd_.async_wait(Descriptor::wait_read, [this](const error_code& error) {
        if (error) return;
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) return wait_exit();
        drain();
        exited_ = true;
        pidfd_.close();
        callbacks_.on_exit({options_.localid, options_.rank, pid_, status});
        check_done();
    });
}

void Task::check_done() {
    if (done_ || !exited_ || !out_.ended || !err_.ended) return;
    done_ = true;
    if (input_.is_open()) input_.close();
    callbacks_.on_input_taken();
    callbacks_.on_done();
}

void Task::kill(int signum) {
    if (pid_ == 0 || done_) return;
    // The group outlives its leader as long as a child holds a stream open.
    if (own_group_) {
        ::kill(-pid_, signum);
    } else if (!exited_) {
        ::kill(pid_, signum);
    }
}

Result<void> Task::write_input(std::string_view data) {
    if (!input_open()) return Error{EPIPE};
    input_queue_ += data;
    write_some();
    return {};
}

void Task::end_input() {
    if (!input_open()) return;
    if (options_.terminal) return;  // the terminal's end is typed, not closed
    input_ending_ = true;
    write_some();
}

void Task::write_some() {
    if (input_waiting_) return;
    while (!input_queue_.empty()) {
        const ssize_t written =
            ::write(input_.native_handle(), input_queue_.data(), input_queue_.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno == EAGAIN) {
            input_waiting_ = true;
            input_.async_wait(Descriptor::wait_write, [this](const error_code& error) {
                input_waiting_ = false;
                if (!error) write_some();
                callbacks_.on_input_taken();
            });
            return;
        }
        if (written < 0) {  // it closed its standard input: drop what nobody reads
            input_queue_.clear();
            input_.close();
            return;
        }
        input_queue_.erase(0, static_cast<std::size_t>(written));
    }
    if (input_ending_) input_.close();
}

void Task::resume_output() {
    for (const Stream stream : {Stream::out, Stream::err}) read(stream);
}

void Task::abandon_streams() {
    if (!exited_) return;
    end(Stream::out);
    end(Stream::err);
}

}  // namespace sluice::shell
