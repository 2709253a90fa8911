// Copies bytes both ways between two open descriptors until both directions have ended.
#pragma once

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>

namespace sluice {

class ByteRelay : public std::enable_shared_from_this<ByteRelay> {
  public:
    struct Ends {
        int left_in, left_out;  // may be the same descriptor
        int right_in, right_out;
    };
    /// Takes over the descriptors. `on_end` is called once, when both directions have ended.
    static void start(boost::asio::io_context& io, Ends ends, std::function<void()> on_end);

    ByteRelay(boost::asio::io_context& io, Ends ends, std::function<void()> on_end);

  private:
    using Descriptor = boost::asio::posix::stream_descriptor;
    struct Direction {
        Descriptor *from, *to;
        std::array<char, 64 * 1024> buffer;
    };
    void copy(Direction& direction);
    void end(Direction& direction);

    Descriptor left_in_, left_out_, right_in_, right_out_;
    Direction forth_, back_;
    std::function<void()> on_end_;
    int open_ = 2;
};

}  // namespace sluice
