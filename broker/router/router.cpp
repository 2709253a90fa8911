#include "broker/router/router.hpp"

#include <unistd.h>

#include <random>

namespace sluice {
namespace {

/// A route id unique among the brokers of an instance: 8 random hex digits (what `flux ping` shows)
/// and a counter. Short enough for std::string to keep it without an allocation.
std::string make_route(std::uint32_t salt, std::uint64_t counter) {
    return fmt::format("{:08x}{:x}", static_cast<std::uint32_t>(salt + counter * 2654435761u),
                       counter);
}

}  // namespace

Router::Router(Options options) : options_(options), salt_(std::random_device{}()) {}

std::string Router::attach(Endpoint* endpoint) {
    std::string route = make_route(salt_, ++next_route_);
    endpoints_[route] = endpoint;
    return route;
}

void Router::detach(const std::string& route, Endpoint* endpoint) {
    endpoints_.erase(route);
    forget_services(endpoint);
    for (auto& [prefix, subscribers] : subscriptions_) subscribers.erase(endpoint);
    std::erase_if(subscriptions_, [](const auto& entry) { return entry.second.empty(); });
}

void Router::forget_services(Endpoint* endpoint) {
    for (auto* services : {&services_, &stand_ins_})
        std::erase_if(*services, [&](const auto& entry) { return entry.second == endpoint; });
}

Result<void> Router::add_service(std::string_view name, Endpoint* endpoint) {
    if (name.empty() || name.find('.') != std::string_view::npos)
        return fail(EINVAL, "service name '{}' is empty or has a dot", name);
    if (!services_.emplace(name, endpoint).second)
        return fail(EEXIST, "service '{}' is registered already", name);
    return {};
}

Result<void> Router::remove_service(std::string_view name, Endpoint* endpoint) {
    const auto found = services_.find(name);
    if (found == services_.end() || found->second != endpoint)
        return fail(ENOENT, "service '{}' is not registered by this client", name);
    services_.erase(found);
    return {};
}

bool Router::has_service(std::string_view name) const {
    return services_.contains(name) || stand_ins_.contains(name);
}

void Router::subscribe(Endpoint* endpoint, std::string_view prefix) {
    subscriptions_[std::string{prefix}].insert(endpoint);
}

Result<void> Router::unsubscribe(Endpoint* endpoint, std::string_view prefix) {
    const auto found = subscriptions_.find(prefix);
    if (found == subscriptions_.end() || !found->second.contains(endpoint))
        return fail(ENOENT, "no subscription to '{}'", prefix);
    found->second.erase(found->second.find(endpoint));
    if (found->second.empty()) subscriptions_.erase(found);
    return {};
}

void Router::request(Message request) {
    const std::uint32_t self = options_.rank.value;
    const std::uint32_t nodeid = request.nodeid();
    if (request.has(message_flag::upstream) && nodeid == self)
        return request_up(std::move(request));
    if (nodeid == nodeid_any || request.has(message_flag::upstream)) {
        if (deliver_local(request)) return;
        if (self == 0) return no_service(request);
        return request_up(std::move(request));
    }
    if (nodeid == self) {
        if (!deliver_local(request)) no_service(request);
        return;
    }
    const auto child = link_ ? link_->child_toward(Rank{nodeid}) : std::nullopt;
    if (child) return request_down(std::move(request), *child);
    if (self == 0) return unreachable(request, Error{EHOSTUNREACH});
    request_up(std::move(request));
}

void Router::request_up(Message request) {
    if (!link_ || link_->parent_uuid().empty()) return unreachable(request, Error{EHOSTUNREACH});
    if (auto sent = link_->send_parent(request); !sent) return unreachable(request, sent.error());
    tracker_.sent(link_->parent_uuid(), request);
}

void Router::request_down(Message request, Rank child) {
    const auto uuid = link_->child_uuid(child);
    if (!uuid) return unreachable(request, Error{EHOSTUNREACH});
    request.routes.push_back(link_->uuid());
    request.routes.push_back(*uuid);
    if (auto sent = link_->send_child(request); !sent) {
        request.routes.resize(request.routes.size() - 2);
        return unreachable(request, sent.error());
    }
    tracker_.sent(*uuid, request);
}

bool Router::deliver_local(Message& request) {
    for (auto* services : {&services_, &stand_ins_}) {
        const auto found = services->find(request.service());
        if (found == services->end()) continue;
        found->second->deliver(std::move(request));
        return true;
    }
    return false;
}

void Router::no_service(const Message& request) {
    respond_error(request, fail(ENOSYS, "No service matching {} is registered", request.topic));
}

void Router::unreachable(const Message& request, const Error& error) {
    respond_error(request, error);
}

void Router::respond_error(const Message& request, const Error& error) {
    if (request.has(message_flag::noresponse)) return;
    Message answer = Message::response(request, error.errnum());
    answer.cred = {options_.owner, role::owner | role::local};
    if (error.has_text()) answer.set_text(error.text());
    response(std::move(answer));
}

void Router::response(Message response) {
    if (response.routes.empty()) return;
    const std::string& last = response.routes.back();
    if (const auto found = endpoints_.find(last); found != endpoints_.end()) {
        Endpoint* endpoint = found->second;
        response.routes.pop_back();
        return endpoint->deliver(std::move(response));
    }
    if (!link_) return;
    response.cred.rolemask &= ~role::local;
    // A link that fails now is reported lost by the overlay; the peer fails its own requests then.
    if (last == link_->parent_uuid()) {
        (void)link_->send_parent(response);
    } else if (link_->is_child(last)) {
        (void)link_->send_child(response);
    }
}

std::uint32_t Router::event(Message event) {
    if (options_.rank.value != 0) {
        if (link_) (void)link_->send_parent(event);
        return 0;
    }
    event.aux1 = ++sequence_;
    distribute(event);
    return event.aux1;
}

void Router::distribute(const Message& event) {
    if (link_) link_->send_children(event);
    std::set<Endpoint*> receivers;
    for (const auto& [prefix, subscribers] : subscriptions_)
        if (event.topic.starts_with(prefix))
            receivers.insert(subscribers.begin(), subscribers.end());
    for (Endpoint* receiver : receivers) receiver->deliver(event);
}

void Router::from_parent(Message message) {
    message.cred.rolemask &= ~role::local;
    switch (message.type) {
        case MessageType::request:
            return request(std::move(message));
        case MessageType::response:
            tracker_.received(link_->parent_uuid(), message);
            return response(std::move(message));
        case MessageType::event:
            sequence_ = message.sequence();
            return distribute(message);
        case MessageType::control:
            return;
    }
}

void Router::from_child(Message message) {
    message.cred.rolemask &= ~role::local;
    switch (message.type) {
        case MessageType::request:
            return request(std::move(message));
        case MessageType::response: {
            if (message.routes.size() < 2) return;
            tracker_.received(message.routes.back(), message);
            message.routes.resize(message.routes.size() - 2);
            return response(std::move(message));
        }
        case MessageType::event:
            if (!message.routes.empty()) message.routes.pop_back();
            event(std::move(message));
            return;
        case MessageType::control:
            return;
    }
}

void Router::peer_lost(const std::string& uuid) {
    for (Message& request : tracker_.take(uuid)) {
        if (link_ && uuid != link_->parent_uuid() && request.routes.size() >= 2)
            request.routes.resize(request.routes.size() - 2);
        respond_error(request, Error{EHOSTUNREACH});
    }
}

}  // namespace sluice
