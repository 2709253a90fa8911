#include "cmd/job/attach_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/rfc/io_data.hpp"

namespace sluice {
namespace {

constexpr std::size_t piece_bytes = 65536;

/// Regular files and /dev/null cannot be polled, and reading them never blocks.
bool pollable(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) < 0 || S_ISREG(status.st_mode)) return false;
    return !S_ISCHR(status.st_mode) || ::isatty(fd);
}

}  // namespace

class AttachInput::State : public std::enable_shared_from_this<State> {
  public:
    State(Handle& flux, Options options)
        : flux_(flux), options_(std::move(options)), stream_(flux.io()) {
        boost::system::error_code error;
        if (pollable(STDIN_FILENO)) stream_.assign(STDIN_FILENO, error);
    }
    ~State() {
        if (stream_.is_open()) stream_.release();  // the descriptor is not ours to close
    }

    void next() {
        if (stopped_) return;
        auto self = shared_from_this();
        if (!stream_.is_open()) {
            boost::asio::post(flux_.io(), [self] { self->read(); });
            return;
        }
        stream_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                           [self](const boost::system::error_code& error) {
                               if (!error) self->read();
                           });
    }

    void stop() {
        stopped_ = true;
        if (stream_.is_open()) stream_.release();
    }

  private:
    void read() {
        if (stopped_) return;
        const bool background_of_tty =
            ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
        if (background_of_tty) return;  // reading would stop us with SIGTTIN
        buffer_.resize(piece_bytes);
        const ssize_t size = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) return next();
        buffer_.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
        send();
    }

    void send() {
        const bool eof = buffer_.empty();
        const bool first = !std::exchange(sent_any_, true);
        auto self = shared_from_this();
        flux_.send(
            options_.topic,
            encode_io({.stream = "stdin", .rank = options_.ranks, .data = buffer_, .eof = eof}),
            RpcOptions{.nodeid = options_.leader}, [self, eof, first](const Reply& reply) {
                if (reply.ok() && !eof) self->next();
                // Errors later on mean that the tasks have closed it, or have ended.
                const auto errnum = reply.message.errnum();
                if (!self->stopped_ && first && !eof && (errnum == ENOSYS || errnum == EPIPE))
                    self->options_.on_refused(reply.error());
            });
    }

    Handle& flux_;
    Options options_;
    boost::asio::posix::stream_descriptor stream_;
    std::string buffer_;
    bool stopped_ = false, sent_any_ = false;
};

AttachInput::AttachInput(Handle& flux, Options options)
    : state_(std::make_shared<State>(flux, std::move(options))) {}

AttachInput::~AttachInput() {
    state_->stop();
}

void AttachInput::start() {
    state_->next();
}
void AttachInput::stop() {
    state_->stop();
}

}  // namespace sluice
