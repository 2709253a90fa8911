// A broker as broker/broker.cpp puts it together, with the parts that concern jobs, without
// processes, sockets and signals of its own. It is turned by its Host.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "broker/assembly.hpp"
#include "broker/config/attributes.hpp"
#include "broker/config/config_store.hpp"
#include "broker/connector/local_server.hpp"
#include "broker/context.hpp"
#include "broker/lifecycle/bootstrap.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/log/logger.hpp"
#include "broker/overlay/membership.hpp"
#include "broker/router/rpc_client.hpp"
#include "t/sim/host.hpp"

namespace sluice::sim {

struct NodeOptions {
    std::uint32_t size = 1, fanout = 2, quorum = 1;
    JsonObject config;
};

class Node {
  public:
    Node(Host& host, const NodeOptions& options);
    ~Node();

    /// All that can be done now; the milliseconds until the next timer.
    int turn();
    bool stopped() const { return stopped_; }
    BrokerContext& context() { return *context_; }
    Lifecycle& lifecycle() { return *lifecycle_; }
    /// A user logged in here.
    RpcClient& user() { return *user_; }

  private:
    Result<void> open(const NodeOptions& options);
    Bootstrap boot(const NodeOptions& options) const;

    Host& host_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    Attributes attributes_;
    ConfigStore config_;
    Logger log_;
    Router router_;
    std::unique_ptr<Membership> membership_;
    std::unique_ptr<LocalServer> local_server_;
    std::unique_ptr<BrokerContext> context_;
    std::unique_ptr<Lifecycle> lifecycle_;
    Assembly parts_;
    std::unique_ptr<RpcClient> user_;
    bool stopped_ = false;
};

}  // namespace sluice::sim
