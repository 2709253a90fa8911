// Which services must hear what became of a client: that it is gone (RFC 6 "Disconnection"; wire.md
// 1.2), and, of those that stream to it, that it does not read what it was sent, or does again. The
// latter two are ours: SERVICE.client-slow and .client-ready, with the routes of its requests.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/rfc/message.hpp"

namespace sluice {

class ClientNotices {
  public:
    /// Remembers the service that `request` used; the first request per service and node counts.
    void used(const Message& request);
    /// The notices to send that it is gone, one per service used, with the first request's routes
    /// and credential.
    std::vector<Message> take();
    /// The notices to send to the services that stream to it.
    std::vector<Message> pace(bool slow) const;

  private:
    using Key = std::tuple<std::string, std::uint32_t, bool>;  // prefix of topics, nodeid, upstream
    struct Known {
        Message notice;
        bool streams = false;
    };
    std::map<Key, Known> known_;
};

}  // namespace sluice
