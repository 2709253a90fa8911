// RPCs that the broker itself makes, as the instance owner: to a service here or on another rank.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.hpp"
#include "base/rpc/handle.hpp"
#include "broker/router/endpoint.hpp"
#include "broker/router/router.hpp"

namespace sluice {

class RpcClient : public Endpoint {
  public:
    explicit RpcClient(Router& router) : router_(router), route_(router.attach(this)) {}
    ~RpcClient() override { router_.detach(route_, this); }
    RpcClient(const RpcClient&) = delete;

    /// `on_reply` is called for each response; a stream ends with its error response. It may be
    /// called before call() returns when the service is local.
    using OnReply = std::function<void(const Reply&)>;
    Matchtag call(std::string_view topic, const JsonObject& payload, RpcOptions options,
                  OnReply on_reply);
    /// A request that gets no response.
    void notify(std::string_view topic, const JsonObject& payload,
                std::uint32_t nodeid = nodeid_any);
    /// As call, for a prepared request; credential, route and matchtag are filled in.
    Matchtag call(Message request, OnReply on_reply);
    void forget(Matchtag tag) { pending_.erase(tag); }
    /// Publishes an event with JSON payload ({} = no payload).
    void publish(std::string_view topic, const JsonObject& payload, std::uint8_t flags = 0);
    /// Events whose topic begins with `prefix`.
    void subscribe(std::string_view prefix, std::function<void(const Message&)> on_event);

    void deliver(Message message) override;

  private:
    Router& router_;
    std::string route_;
    std::unordered_map<Matchtag, OnReply> pending_;
    std::map<std::string, std::function<void(const Message&)>, std::less<>> subscriptions_;
    Matchtag next_tag_ = 1;
};

}  // namespace sluice
