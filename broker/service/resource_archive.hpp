// What the KVS keeps of the resources: R, and of their log (RFC 44) what must outlive the instance.
#pragma once

#include <functional>
#include <vector>

#include "base/rfc/eventlog.hpp"
#include "broker/context.hpp"
#include "broker/router/rpc_client.hpp"
#include "resource/resource_log.hpp"

namespace sluice {

class ResourceArchive {
  public:
    explicit ResourceArchive(BrokerContext& context) : context_(context), rpc_(context.router) {}

    /// The log as earlier runs of the instance left it.
    void load(std::function<void(Result<std::vector<Event>>)> done);
    /// Keeps an event, if it is one to keep. A failure is logged.
    void add(const ResourceLog::Event& event);
    /// Calls `then` once all that was added is kept: drains are on disk before they are answered.
    void when_kept(std::function<void()> then);

  private:
    BrokerContext& context_;
    RpcClient rpc_;
    std::size_t pending_ = 0;
    std::vector<std::function<void()>> waiting_;
};

}  // namespace sluice
