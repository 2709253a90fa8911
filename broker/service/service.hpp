// What every service of the broker shares: the table of its methods, role checks, payload decoding,
// and the methods that each service has (ping, stats-get, …; wire.md 2).
//
//     class AttrService : public RpcService<AttrService> {
//       public:
//         static const RpcTable<AttrService> rpcs;   // defined first in attr.cpp
//         ...
//     };
//     const RpcTable<AttrService> AttrService::rpcs{
//         {"get", Caller::any, Body::json, &AttrService::get},
//         {"list", Caller::any, Body::none, &AttrService::list},
//     };
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/router/endpoint.hpp"
#include "broker/service/request.hpp"

namespace sluice {

enum class Caller {
    owner,  // the instance owner and admins
    user,   // owners and guests
    any,    // everyone the socket let in
};

enum class Body {
    json,   // a JSON object must be there: EPROTO otherwise
    maybe,  // absent counts as {}
    none,   // ignored
    raw,    // the handler reads request.message().bytes()
};

enum class Tenure {
    sole,      // nobody else may register the name
    stand_in,  // serves while nobody else does
};

class Service : public Endpoint {
  public:
    Service(Router& router, std::string name, Tenure tenure = Tenure::sole);
    ~Service() override;
    Service(const Service&) = delete;

    void deliver(Message message) final;
    const std::string& name() const { return name_; }

  protected:
    Router& router() { return router_; }
    /// Serves `method`; false when the table has no such row.
    virtual bool dispatch(std::string_view method, Request& request) = 0;
    /// A client is gone: drop its requests. `request.sender()` names it.
    virtual void on_disconnect(const Request& request) { (void)request; }
    /// A client does not read what it was streamed (slow), or does again. May come in the midst
    /// of what is sent to it.
    virtual void on_client_pace(const Request& request, bool slow) { (void)request, (void)slow; }
    /// The client of `request` is one that does not read.
    bool slow(const Request& request) const { return slow_clients_.contains(request.sender()); }
    /// Default statistics: message counts.
    virtual JsonObject stats() const;

    static bool permitted(const Request& request, Caller caller);
    void refuse(const Request& request);
    /// The decoded payload, or nullopt after having answered EPROTO.
    static std::optional<JsonObject> decode(const Request& request, Body body);

  private:
    bool client_notice(std::string_view word, const Request& request);
    bool common_method(std::string_view method, Request& request);
    void ping(const Request& request);

    Router& router_;
    std::string name_;
    std::int64_t requests_ = 0, debug_flags_ = 0;
    std::set<std::string, std::less<>> slow_clients_;  // by route
};

template <class S>
struct RpcRow {
    std::string_view method;
    Caller caller;
    Body body;
    void (S::*handler)(Request request, const JsonObject& payload);
};

template <class S>
using RpcTable = std::vector<RpcRow<S>>;

template <class S>
class RpcService : public Service {
  public:
    using Service::Service;

  private:
    bool dispatch(std::string_view method, Request& request) final {
        for (const RpcRow<S>& row : S::rpcs) {
            if (row.method != method) continue;
            if (!permitted(request, row.caller)) {
                refuse(request);
            } else if (const auto payload = decode(request, row.body)) {
                (static_cast<S*>(this)->*row.handler)(std::move(request), *payload);
            }
            return true;
        }
        return false;
    }
};

}  // namespace sluice
