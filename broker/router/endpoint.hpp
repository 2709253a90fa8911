// What the router delivers messages to: a local client, a service of ours, an RPC client of ours.
#pragma once

#include "base/rfc/message.hpp"

namespace sluice {

class Endpoint {
  public:
    virtual ~Endpoint() = default;
    /// A request for a service it registered, a response to a request it sent (its own route
    /// already popped), or an event it subscribed to. Must not destroy the endpoint.
    virtual void deliver(Message message) = 0;
};

}  // namespace sluice
