// Requests that went over a TBON link and still wait for their (last) response, so that all of them
// can be failed when the peer is lost. Pure.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/rfc/message.hpp"

namespace sluice {

class RpcTracker {
  public:
    /// `request` as sent to `peer`; ignored when it expects no response.
    void sent(const std::string& peer, const Message& request);
    /// `response` as received from `peer`, before routes are popped.
    void received(const std::string& peer, const Message& response);
    /// The requests open at `peer`, without payload; forgets them.
    std::vector<Message> take(const std::string& peer);
    std::size_t size() const;
    std::size_t size(const std::string& peer) const;

  private:
    using OpenRequests = std::unordered_map<std::string, Message>;
    std::unordered_map<std::string, OpenRequests> peers_;
};

}  // namespace sluice
