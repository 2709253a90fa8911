// This broker's membership in the instance: joins through the overlay, follows the parent's state
// and configuration, and tells the other parts who comes and goes.
#pragma once

#include <functional>
#include <memory>

#include "broker/context.hpp"
#include "broker/lifecycle/bootstrap.hpp"
#include "broker/overlay/overlay.hpp"
#include "broker/router/rpc_client.hpp"

namespace sluice {

class Membership {
  public:
    /// Opens the sockets that `boot` asks for and sets its endpoint. Errors: as Overlay::bind.
    static Result<std::unique_ptr<Membership>> open(boost::asio::io_context& io, Router& router,
                                                    Logger& log, const Attributes& attributes,
                                                    Bootstrap& boot, const std::string& bind);
    /// After the bootstrap's exchange: peers are known.
    void set_peers(const Bootstrap& boot);
    void start(BrokerContext& context);

    void join() { overlay_->join(); }
    /// Takes the parent's configuration and follows its changes; `done` after the first.
    void sync_config(std::function<void(Result<void>)> done);
    void goodbye(std::function<void()> done) { overlay_->goodbye(std::move(done)); }
    Idset children() const { return overlay_->children().online_ranks(); }
    /// Children that are still there learn that this broker ends without them.
    void abandon_children();

  private:
    explicit Membership(Router& router) : router_(router), rpc_(router) {}
    void watch_parent();

    Router& router_;
    RpcClient rpc_;
    std::unique_ptr<Overlay> overlay_;
    BrokerContext* context_ = nullptr;
};

}  // namespace sluice
