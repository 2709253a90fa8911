// Leads a socket to the parent for as long as the two are not connected: looks the parent's name up
// again and again (a pod's name appears late, and its address changes), and connects to what it
// finds.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/aio/name_lookup.hpp"
#include "base/result.hpp"
#include "broker/overlay/parent_route.hpp"

namespace sluice {

class ZSocket;

class ParentFinder {
  public:
    /// `on_silence`: the name has no address, or nobody tells; called again and again.
    ParentFinder(boost::asio::io_context& io, ZSocket& socket, std::function<void()> on_silence);
    /// Errors: of ZSocket::connect, where the endpoint holds no name.
    Result<void> start(const std::string& endpoint);
    void on_connected();
    /// The connection is over, or an attempt has failed.
    void on_lost();
    /// Is there a name to look up that has had no address yet?
    bool unresolved() const { return route_ && !route_->has_address(); }

  private:
    void look_up();
    void on_addresses(const std::vector<std::string>& addresses);

    boost::asio::io_context& io_;
    ZSocket& socket_;
    std::function<void()> on_silence_;
    std::unique_ptr<ParentRoute> route_;  // none: no name to look up
    std::unique_ptr<NameLookup> lookup_;
    boost::asio::steady_timer timer_;
    bool looking_ = false;
    int tries_ = 0;  // since the connection was lost
};

}  // namespace sluice
