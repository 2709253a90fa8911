#include "broker/exec/zygote_client.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/aio/fd_passing.hpp"
#include "base/paths.hpp"

namespace sluice {

using boost::system::error_code;
using Descriptor = boost::asio::posix::stream_descriptor;

ZygoteClient::ZygoteClient(boost::asio::io_context& io, Callbacks callbacks)
    : io_(io), callbacks_(std::move(callbacks)), control_(io), exit_(io) {}

Result<void> ZygoteClient::order(JobId id, OwnedFd socket) {
    if (!control_.is_open()) SLUICE_CHECK(start());
    orders_.push_back({{ZygoteOrder::Kind::launch, id.value}, std::move(socket)});
    send_orders();
    return {};
}

void ZygoteClient::kill(JobId id) {
    if (!control_.is_open()) return;
    orders_.push_back({{ZygoteOrder::Kind::kill, id.value}, {}});
    send_orders();
}

Result<void> ZygoteClient::start() {
    SubprocessOptions options;
    options.argv = {helper_program("flux-shell"), "--zygote"};
    options.channels = {zygote_fd_variable};
    SLUICE_TRY(Spawned zygote, spawn(options));
    pid_ = zygote.pid;
    control_.assign(zygote.ends[zygote_fd_variable].release());
    control_.non_blocking(true);
    exit_.assign(zygote.pidfd.release());
    exit_.async_wait(Descriptor::wait_read, [this, pid = pid_](const error_code& error) {
        if (!error) ::waitpid(pid, nullptr, 0);
    });
    incoming_.clear();
    read();
    return {};
}

void ZygoteClient::read() {
    control_.async_wait(Descriptor::wait_read, [this](const error_code& error) {
        if (!error) take_records();
    });
}

void ZygoteClient::take_records() {
    char buffer[64 * sizeof(ZygoteRecord)];
    const ssize_t got = ::read(control_.native_handle(), buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return lost();
    if (got > 0) incoming_.append(buffer, static_cast<std::size_t>(got));
    std::size_t used = 0;
    for (; incoming_.size() - used >= sizeof(ZygoteRecord); used += sizeof(ZygoteRecord)) {
        ZygoteRecord record;
        std::memcpy(&record, incoming_.data() + used, sizeof record);
        callbacks_.on_record(record);
    }
    incoming_.erase(0, used);
    read();
}

void ZygoteClient::send_orders() {
    if (sending_) return;
    while (!orders_.empty()) {
        if (!send_one(orders_.front())) {
            sending_ = true;
            control_.async_wait(Descriptor::wait_write, [this](const error_code& error) {
                sending_ = false;
                if (!error) send_orders();
            });
            return;
        }
        orders_.pop_front();
    }
}

/// False when the zygote must first take what it has. A zygote that is gone is seen by read().
bool ZygoteClient::send_one(const Order& order) {
    return send_with_fd(control_.native_handle(), &order.order, sizeof order.order,
                        order.socket.get()) == sizeof order.order;
}

void ZygoteClient::lost() {
    control_.close();
    exit_.close();
    ::waitpid(pid_, nullptr, WNOHANG);
    orders_.clear();  // closes the shells' ends: their connections end
    callbacks_.on_lost();
}

}  // namespace sluice
