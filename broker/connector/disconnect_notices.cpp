#include "broker/connector/disconnect_notices.hpp"

namespace sluice {

void DisconnectNotices::used(const Message& request) {
    if (request.has(message_flag::noresponse)) return;
    const std::size_t dot = request.topic.rfind('.');
    std::string topic = dot == std::string::npos ? std::string{"disconnect"}
                                                 : request.topic.substr(0, dot + 1) + "disconnect";
    const Key key{topic, request.nodeid(), request.has(message_flag::upstream)};
    if (notices_.contains(key)) return;
    Message notice = request;
    notice.topic = std::move(topic);
    notice.payload.reset();
    notice.flags = (request.flags & (message_flag::route | message_flag::upstream)) |
                   message_flag::noresponse;
    notices_.emplace(key, std::move(notice));
}

std::vector<Message> DisconnectNotices::take() {
    std::vector<Message> messages;
    for (auto& [key, notice] : notices_) messages.push_back(std::move(notice));
    notices_.clear();
    return messages;
}

}  // namespace sluice
