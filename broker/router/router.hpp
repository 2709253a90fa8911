// Moves messages between local endpoints and the TBON (RFC 3, RFC 6; wire.md 1.3, 1.5).
// Invariants: a request gets at most one final response; a response for an endpoint that is gone is
// dropped silently; only rank 0 numbers events, and numbers rise by one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "base/rfc/message.hpp"
#include "base/strong_id.hpp"
#include "broker/router/endpoint.hpp"
#include "broker/router/rpc_tracker.hpp"
#include "broker/router/tbon_link.hpp"
#include "broker/router/trace.hpp"

namespace sluice {

class Router {
  public:
    struct Options {
        Rank rank;
        UserId owner;
    };
    explicit Router(Options options);

    /// Set once, when the overlay is there; without it the broker is alone.
    void set_link(TbonLink* link) { link_ = link; }
    /// Rank and owner; the rank is known only after the bootstrap.
    void set_rank(Rank rank) { options_.rank = rank; }
    /// Of this broker (attribute broker.uuid): its name in the routes that ping shows.
    void set_uuid(std::string uuid) { uuid_ = std::move(uuid); }
    const std::string& uuid() const { return uuid_; }
    Rank rank() const { return options_.rank; }
    UserId owner() const { return options_.owner; }

    /// Gives `endpoint` a route id, under which responses find it.
    std::string attach(Endpoint* endpoint);
    /// Forgets the route id, its services and its subscriptions.
    void detach(const std::string& route, Endpoint* endpoint);

    /// Requests "name.*" go to `endpoint`. Errors: EEXIST taken, EINVAL a dot in the name.
    Result<void> add_service(std::string_view name, Endpoint* endpoint);
    /// Errors: ENOENT when `endpoint` did not register it.
    Result<void> remove_service(std::string_view name, Endpoint* endpoint);
    bool has_service(std::string_view name) const;
    /// Requests "name.*" go to `endpoint` for as long as nobody else has registered the name.
    void add_stand_in(std::string_view name, Endpoint* endpoint) {
        stand_ins_.emplace(name, endpoint);
    }
    void forget_services(Endpoint* endpoint);

    /// Prefix subscription. Errors: ENOENT for one that is not there.
    void subscribe(Endpoint* endpoint, std::string_view prefix);
    Result<void> unsubscribe(Endpoint* endpoint, std::string_view prefix);

    /// A request whose sender's route is pushed and whose credential is set.
    void request(Message request);
    /// A response made here; its last route says where it goes.
    void response(Message response);
    /// An event made here or by a local client: published on rank 0, else sent up. Returns its
    /// sequence number on rank 0, else 0.
    std::uint32_t event(Message event);

    /// What the overlay received. Its routes as ZeroMQ left them (see tbon_link.hpp).
    void from_parent(Message message);
    void from_child(Message message);
    /// Fails everything open at a lost peer with EHOSTUNREACH.
    void peer_lost(const std::string& uuid);

    /// Sees every published event that passes here, in order (for tests and statistics).
    std::uint32_t last_sequence() const { return sequence_; }

    /// Requests that wait for a peer's response.
    std::size_t waiting_at(const std::string& uuid) const { return tracker_.size(uuid); }
    /// Sees what services receive and answer.
    TraceHook on_service_message;

    /// Answers `request` with an error (nothing for NORESPONSE).
    void respond_error(const Message& request, const Error& error);

  private:
    void request_up(Message request);
    void request_down(Message request, Rank child);
    bool deliver_local(Message& request);
    void no_service(const Message& request);
    void unreachable(const Message& request, const Error& error);
    void distribute(const Message& event);
    bool from_here(const std::string& route) const { return endpoints_.contains(route); }

    Options options_;
    std::string uuid_;
    TbonLink* link_ = nullptr;
    RpcTracker tracker_;
    std::unordered_map<std::string, Endpoint*> endpoints_;
    std::map<std::string, Endpoint*, std::less<>> services_, stand_ins_;
    std::map<std::string, std::multiset<Endpoint*>, std::less<>> subscriptions_;  // by prefix
    std::uint32_t sequence_ = 0;
    std::uint32_t salt_;  // of our routes, apart from those of other brokers
    std::uint64_t next_route_ = 0;
};

}  // namespace sluice
