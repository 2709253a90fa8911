// The launcher's side of its zygote: starts it when it is first needed, again when it has died, and
// passes orders and records (base/rpc/zygote_wire.hpp).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/result.hpp"
#include "base/rpc/zygote_wire.hpp"
#include "base/strong_id.hpp"

namespace sluice {

class ZygoteClient {
  public:
    struct Callbacks {
        std::function<void(const ZygoteRecord&)> on_record;
        /// It ended unasked, with the orders it had not taken.
        std::function<void()> on_lost;
    };
    ZygoteClient(boost::asio::io_context& io, Callbacks callbacks);

    /// Orders a shell for `id` that owns `socket`. Errors: flux-shell cannot be started.
    Result<void> order(JobId id, OwnedFd socket);
    /// SIGKILL to the shell of `id`, if it is still that when the zygote hears of it.
    void kill(JobId id);

  private:
    struct Order {
        ZygoteOrder order;
        OwnedFd socket;
    };
    Result<void> start();
    void read();
    void take_records();
    void send_orders();
    bool send_one(const Order& order);
    void lost();

    boost::asio::io_context& io_;
    Callbacks callbacks_;
    boost::asio::posix::stream_descriptor control_, exit_;
    std::deque<Order> orders_;
    std::string incoming_;
    pid_t pid_ = 0;
    bool sending_ = false;
};

}  // namespace sluice
