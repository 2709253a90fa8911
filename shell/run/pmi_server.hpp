// Serves PMI-1 to the tasks of this shell over their sockets, and takes part in the exchange
// between the shells of the job.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/rpc/handle.hpp"
#include "pmi/server_fsm.hpp"
#include "shell/launch_info.hpp"
#include "shell/options.hpp"
#include "shell/pmi_exchange.hpp"
#include "shell/task_plan.hpp"

namespace sluice::shell {

class PmiServer {
  public:
    struct Parts {
        const LaunchInfo& info;
        const ShellOptions& options;
        const TaskPlan& plan;
        Handle& handle;
        std::function<void(const std::string& note, int code)> on_abort;
        std::function<void(const std::string& text)> on_protocol_error;
    };
    explicit PmiServer(Parts parts);

    /// The task's end of a new connection. Errors: errno of socketpair.
    Result<OwnedFd> connect(std::uint32_t localid);
    /// A "pmi-exchange" request of a child shell; answered when the exchange is done.
    void on_exchange_request(const Message& request);

    /// A task has said something.
    bool used() const { return used_; }

  private:
    using Socket = boost::asio::local::stream_protocol::socket;
    void preload();
    void read(std::uint32_t localid);
    void perform(const pmi::Actions& actions);
    void step(const PmiExchange::Step& step);
    void send_up(const pmi::KeyValues& keys);
    void exchange_failed();

    Parts parts_;
    pmi::ServerFsm fsm_;
    PmiExchange exchange_;
    std::vector<std::unique_ptr<Socket>> clients_;
    std::vector<Message> child_requests_;
    bool used_ = false;
};

}  // namespace sluice::shell
