// State outlives its Subprocess until the child is reaped: a child that was left alone must not
// become a zombie. Callbacks stop when the Subprocess is gone.
#include "base/aio/subprocess.hpp"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <map>

#include "base/aio/spawn.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;
constexpr std::size_t read_bytes = 64 * 1024;

}  // namespace

class Subprocess::State : public std::enable_shared_from_this<Subprocess::State> {
  public:
    State(asio::io_context& io, Spawned spawned, const SubprocessOptions& options,
          Callbacks callbacks);
    void begin();
    void abandon();
    Result<void> write(std::string_view name, std::string_view data);
    Result<void> close(std::string_view name);
    void pause(bool paused);

    const pid_t pid;
    const bool has_group;
    std::optional<int> status;

  private:
    struct Stream {
        Stream(asio::io_context& io, int fd) : descriptor(io, fd) {}
        asio::posix::stream_descriptor descriptor;
        std::string name;
        bool readable = false, writable = false, by_line = true;
        bool reading = false, writing = false, close_after_write = false;
        bool read_ended = false;
        std::string pending_line;          // read, not a full line yet
        std::string queued, in_flight;     // to write
        std::array<char, read_bytes> buffer;
    };

    void wait_exit();
    void read(Stream& stream);
    void take(Stream& stream, std::size_t bytes);
    void end_read(Stream& stream);
    void write_next(Stream& stream);
    void end_write(Stream& stream);
    void check_complete();
    Stream* writable_stream(std::string_view name);

    asio::posix::stream_descriptor pidfd_;
    Callbacks callbacks_;
    std::map<std::string, std::unique_ptr<Stream>, std::less<>> streams_;
    std::size_t line_bytes_max_;
    bool abandoned_ = false, paused_ = false, complete_ = false;
};

Subprocess::State::State(asio::io_context& io, Spawned spawned, const SubprocessOptions& options,
                         Callbacks callbacks)
    : pid(spawned.pid),
      has_group(options.new_group),
      pidfd_(io, spawned.pidfd.release()),
      callbacks_(std::move(callbacks)),
      line_bytes_max_(options.line_bytes_max) {
    for (auto& [name, end] : spawned.ends) {
        auto stream = std::make_unique<Stream>(io, end.release());
        stream->descriptor.non_blocking(true);
        stream->name = name;
        const bool standard_output = name == "stdout" || name == "stderr";
        stream->readable = name != "stdin";
        stream->writable = !standard_output;
        stream->by_line = std::ranges::find(options.unbuffered, name) == options.unbuffered.end();
        streams_[name] = std::move(stream);
    }
}

void Subprocess::State::begin() {
    wait_exit();
    for (auto& [name, stream] : streams_)
        if (stream->readable) read(*stream);
}

void Subprocess::State::wait_exit() {
    pidfd_.async_wait(asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](const boost::system::error_code& error) {
                          if (error) return;
                          int wait_status = 0;
                          const pid_t reaped = ::waitpid(self->pid, &wait_status, WNOHANG);
                          if (reaped == 0) return self->wait_exit();
                          // ECHILD: somebody reaped our child; all we know is that it is gone.
                          self->status = reaped < 0 ? 0 : wait_status;
                          self->pidfd_.close();
                          if (self->abandoned_) return;
                          if (self->callbacks_.on_exit) self->callbacks_.on_exit(*self->status);
                          self->check_complete();
                      });
}

void Subprocess::State::read(Stream& stream) {
    if (stream.reading || stream.read_ended || paused_ || abandoned_) return;
    stream.reading = true;
    stream.descriptor.async_read_some(
        asio::buffer(stream.buffer),
        [self = shared_from_this(), &stream](const boost::system::error_code& error,
                                             std::size_t bytes) {
            stream.reading = false;
            if (self->abandoned_) return;
            if (error) return self->end_read(stream);
            self->take(stream, bytes);
            self->read(stream);
        });
}

void Subprocess::State::take(Stream& stream, std::size_t bytes) {
    std::string_view data{stream.buffer.data(), bytes};
    const auto emit = [&](std::string_view text) {
        if (!abandoned_ && callbacks_.on_output) callbacks_.on_output(stream.name, text);
    };
    if (!stream.by_line) return emit(data);
    for (std::size_t end; (end = data.find('\n')) != std::string_view::npos;) {
        if (stream.pending_line.empty()) {
            emit(data.substr(0, end + 1));
        } else {
            stream.pending_line += data.substr(0, end + 1);
            emit(std::exchange(stream.pending_line, {}));
        }
        data.remove_prefix(end + 1);
    }
    stream.pending_line += data;
    if (stream.pending_line.size() >= line_bytes_max_)
        emit(std::exchange(stream.pending_line, {}));
}

void Subprocess::State::end_read(Stream& stream) {
    stream.read_ended = true;
    if (!stream.writable) stream.descriptor.close();
    if (callbacks_.on_output) {
        if (const std::string rest = std::exchange(stream.pending_line, {}); !rest.empty())
            callbacks_.on_output(stream.name, rest);
        if (!abandoned_) callbacks_.on_output(stream.name, {});
    }
    check_complete();
}

void Subprocess::State::check_complete() {
    if (complete_ || abandoned_ || !status) return;
    for (const auto& [name, stream] : streams_)
        if (stream->readable && !stream->read_ended) return;
    complete_ = true;
    if (callbacks_.on_complete) callbacks_.on_complete(*status);
}

Subprocess::State::Stream* Subprocess::State::writable_stream(std::string_view name) {
    const auto found = streams_.find(name);
    return found == streams_.end() || !found->second->writable ? nullptr : found->second.get();
}

Result<void> Subprocess::State::write(std::string_view name, std::string_view data) {
    Stream* stream = writable_stream(name);
    if (!stream) return fail(EINVAL, "stream '{}' is not one that can be written", name);
    if (stream->close_after_write || !stream->descriptor.is_open())
        return fail(EPIPE, "stream '{}' is closed", name);
    stream->queued += data;
    write_next(*stream);
    return {};
}

Result<void> Subprocess::State::close(std::string_view name) {
    Stream* stream = writable_stream(name);
    if (!stream) return fail(EINVAL, "stream '{}' is not one that can be closed", name);
    stream->close_after_write = true;
    if (!stream->writing && stream->queued.empty()) end_write(*stream);
    return {};
}

void Subprocess::State::write_next(Stream& stream) {
    if (stream.writing || stream.queued.empty()) return;
    stream.writing = true;
    stream.in_flight = std::exchange(stream.queued, {});
    asio::async_write(stream.descriptor, asio::buffer(stream.in_flight),
                      [self = shared_from_this(), &stream](const boost::system::error_code& error,
                                                           std::size_t bytes) {
                          stream.writing = false;
                          if (self->abandoned_) return;
                          if (error) {  // the child closed its end: the rest has no reader
                              stream.queued.clear();
                              stream.close_after_write = true;
                          }
                          if (bytes && self->callbacks_.on_written)
                              self->callbacks_.on_written(stream.name, bytes);
                          if (self->abandoned_) return;
                          if (!stream.queued.empty()) return self->write_next(stream);
                          if (stream.close_after_write) self->end_write(stream);
                      });
}

void Subprocess::State::end_write(Stream& stream) {
    if (!stream.descriptor.is_open()) return;
    if (stream.readable && !stream.read_ended)
        ::shutdown(stream.descriptor.native_handle(), SHUT_WR);
    else
        stream.descriptor.close();
}

void Subprocess::State::pause(bool paused) {
    paused_ = paused;
    if (paused) return;
    for (auto& [name, stream] : streams_)
        if (stream->readable) read(*stream);
}

void Subprocess::State::abandon() {
    abandoned_ = true;
    boost::system::error_code ignored;
    for (auto& [name, stream] : streams_) stream->descriptor.close(ignored);
}

Subprocess::Subprocess(std::shared_ptr<State> state) : state_(std::move(state)) {}

Subprocess::~Subprocess() { state_->abandon(); }

Result<std::unique_ptr<Subprocess>> Subprocess::start(asio::io_context& io,
                                                      SubprocessOptions options,
                                                      Callbacks callbacks) {
    // A child that does not read its input must not end us; children get the default back.
    ::signal(SIGPIPE, SIG_IGN);
    SLUICE_TRY(Spawned spawned, spawn(options));
    auto state = std::make_shared<State>(io, std::move(spawned), options, std::move(callbacks));
    state->begin();
    return std::unique_ptr<Subprocess>{new Subprocess{std::move(state)}};
}

pid_t Subprocess::pid() const { return state_->pid; }
std::optional<int> Subprocess::status() const { return state_->status; }
Result<void> Subprocess::write(std::string_view stream, std::string_view data) {
    return state_->write(stream, data);
}
Result<void> Subprocess::close(std::string_view stream) { return state_->close(stream); }
void Subprocess::pause_output(bool paused) { state_->pause(paused); }

Result<void> Subprocess::kill(int signum) {
    // After the exit the number may already be another process's.
    if (state_->status) return fail(ESRCH, "process {} has ended", pid());
    const int code = state_->has_group ? ::killpg(pid(), signum) : ::kill(pid(), signum);
    if (code < 0) return Error{errno};
    return {};
}

int exit_code_of(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string describe_wait_status(int status) {
    const char* what = WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "Exited";
    return fmt::format("{} (rc={})", what, exit_code_of(status));
}

}  // namespace sluice
