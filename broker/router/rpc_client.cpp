#include "broker/router/rpc_client.hpp"

namespace sluice {

Matchtag RpcClient::call(std::string_view topic, const JsonObject& payload, RpcOptions options,
                         OnReply on_reply) {
    Message request = Message::request(std::string{topic}, options.nodeid);
    if (options.upstream) request.flags |= message_flag::upstream;
    if (options.streaming) request.flags |= message_flag::streaming;
    if (options.noresponse) request.flags |= message_flag::noresponse;
    request.set_json(payload);
    return call(std::move(request), std::move(on_reply));
}

Matchtag RpcClient::call(Message request, OnReply on_reply) {
    request.flags |= message_flag::route;
    request.cred = {router_.owner(), role::owner | role::local};
    request.routes.push_back(route_);
    request.aux2 = request.has(message_flag::noresponse) ? 0 : next_tag_++;
    const Matchtag tag = request.aux2;
    if (tag) pending_[tag] = std::move(on_reply);
    router_.request(std::move(request));
    return tag;
}

void RpcClient::notify(std::string_view topic, const JsonObject& payload, std::uint32_t nodeid) {
    call(topic, payload, {.nodeid = nodeid, .noresponse = true}, {});
}

void RpcClient::publish(std::string_view topic, const JsonObject& payload, std::uint8_t flags) {
    Message event = Message::event(std::string{topic});
    event.flags |= flags;
    event.cred = {router_.owner(), role::owner | role::local};
    if (!payload.empty()) event.set_json(payload);
    router_.event(std::move(event));
}

void RpcClient::subscribe(std::string_view prefix, std::function<void(const Message&)> on_event) {
    router_.subscribe(this, prefix);
    subscriptions_[std::string{prefix}] = std::move(on_event);
}

void RpcClient::deliver(Message message) {
    if (message.type == MessageType::event) {
        for (const auto& [prefix, on_event] : subscriptions_)
            if (message.topic.starts_with(prefix)) on_event(message);
        return;
    }
    if (message.type != MessageType::response) return;
    const auto found = pending_.find(message.matchtag());
    if (found == pending_.end()) return;
    const bool ends = message.errnum() != 0 || !message.has(message_flag::streaming);
    const OnReply callback = ends ? std::move(found->second) : found->second;
    if (ends) pending_.erase(found);
    if (callback) callback(Reply{std::move(message)});
}

}  // namespace sluice
