#include "broker/router/rpc_tracker.hpp"

namespace sluice {
namespace {

std::string key_of(const Message& message) {
    std::string key = std::to_string(message.matchtag());
    for (const std::string& route : message.routes) {
        key += '!';
        key += route;
    }
    return key;
}

}  // namespace

void RpcTracker::sent(const std::string& peer, const Message& request) {
    if (request.has(message_flag::noresponse)) return;
    Message header = request;
    header.payload.reset();
    peers_[peer].insert_or_assign(key_of(request), std::move(header));
}

void RpcTracker::received(const std::string& peer, const Message& response) {
    if (response.errnum() == 0 && response.has(message_flag::streaming)) return;
    if (auto found = peers_.find(peer); found != peers_.end())
        found->second.erase(key_of(response));
}

std::vector<Message> RpcTracker::take(const std::string& peer) {
    std::vector<Message> requests;
    if (auto found = peers_.extract(peer); !found.empty())
        for (auto& [key, request] : found.mapped()) requests.push_back(std::move(request));
    return requests;
}

std::size_t RpcTracker::size() const {
    std::size_t total = 0;
    for (const auto& [peer, requests] : peers_) total += requests.size();
    return total;
}

std::size_t RpcTracker::size(const std::string& peer) const {
    const auto found = peers_.find(peer);
    return found == peers_.end() ? 0 : found->second.size();
}

}  // namespace sluice
