#include "cmd/byte_relay.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/write.hpp>

namespace sluice {
namespace {

/// A second number for the same open file, so that each direction can be closed alone.
int own_number(int fd, int other) {
    return fd == other ? ::fcntl(fd, F_DUPFD_CLOEXEC, 0) : fd;
}

}  // namespace

ByteRelay::ByteRelay(boost::asio::io_context& io, Ends ends, std::function<void()> on_end)
    : left_in_(io, ends.left_in),
      left_out_(io, own_number(ends.left_out, ends.left_in)),
      right_in_(io, ends.right_in),
      right_out_(io, own_number(ends.right_out, ends.right_in)),
      forth_{&left_in_, &right_out_, {}},
      back_{&right_in_, &left_out_, {}},
      on_end_(std::move(on_end)) {}

void ByteRelay::start(boost::asio::io_context& io, Ends ends, std::function<void()> on_end) {
    auto relay = std::make_shared<ByteRelay>(io, ends, std::move(on_end));
    relay->copy(relay->forth_);
    relay->copy(relay->back_);
}

void ByteRelay::copy(Direction& direction) {
    direction.from->async_read_some(
        boost::asio::buffer(direction.buffer),
        [self = shared_from_this(), &direction](const boost::system::error_code& error,
                                                std::size_t bytes) {
            if (error) return self->end(direction);
            boost::asio::async_write(
                *direction.to, boost::asio::buffer(direction.buffer.data(), bytes),
                [self, &direction](const boost::system::error_code& write_error, std::size_t) {
                    if (write_error)
                        self->end(direction);
                    else
                        self->copy(direction);
                });
        });
}

void ByteRelay::end(Direction& direction) {
    boost::system::error_code ignored;
    if (direction.to->is_open()) {
        ::shutdown(direction.to->native_handle(), SHUT_WR);  // fails for a pipe, which closes
        direction.to->close(ignored);
    }
    // Nobody is left to read for: the peer sees the end of its own writing.
    if (direction.from->is_open()) {
        ::shutdown(direction.from->native_handle(), SHUT_RD);
        direction.from->close(ignored);
    }
    if (--open_ == 0 && on_end_) on_end_();
}

}  // namespace sluice
