// Which services must hear that a client is gone (RFC 6 "Disconnection"; wire.md 1.2). Pure.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/rfc/message.hpp"

namespace sluice {

class DisconnectNotices {
  public:
    /// Remembers the service that `request` used; the first request per service and node counts.
    void used(const Message& request);
    /// The notices to send, one per service used, with the first request's routes and credential.
    std::vector<Message> take();

  private:
    using Key = std::tuple<std::string, std::uint32_t, bool>;  // topic, nodeid, upstream
    std::map<Key, Message> notices_;
};

}  // namespace sluice
