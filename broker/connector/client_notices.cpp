#include "broker/connector/client_notices.hpp"

namespace sluice {

void ClientNotices::used(const Message& request) {
    if (request.has(message_flag::noresponse)) return;
    const std::size_t dot = request.topic.rfind('.');
    const std::string prefix =
        dot == std::string::npos ? std::string{} : request.topic.substr(0, dot + 1);
    const Key key{prefix, request.nodeid(), request.has(message_flag::upstream)};
    const auto [found, is_new] = known_.try_emplace(key);
    Known& known = found->second;
    known.streams = known.streams || request.has(message_flag::streaming);
    if (!is_new) return;
    known.notice = request;
    known.notice.topic = prefix;
    known.notice.payload.reset();
    known.notice.flags = (request.flags & (message_flag::route | message_flag::upstream)) |
                         message_flag::noresponse;
}

std::vector<Message> ClientNotices::take() {
    std::vector<Message> messages;
    for (auto& [key, known] : known_) {
        known.notice.topic += "disconnect";
        messages.push_back(std::move(known.notice));
    }
    known_.clear();
    return messages;
}

std::vector<Message> ClientNotices::pace(bool slow) const {
    std::vector<Message> messages;
    for (const auto& [key, known] : known_) {
        if (!known.streams) continue;
        messages.push_back(known.notice);
        messages.back().topic += slow ? "client-slow" : "client-ready";
    }
    return messages;
}

}  // namespace sluice
