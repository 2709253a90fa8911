// Remote execution on this broker's host (rexec.*, RFC 42). On rank 0 of an instance with guests
// only local requests are served: a stolen guest connection must not reach the lead.
#include "base/rexec/server.hpp"
#include "broker/config/attributes.hpp"
#include "broker/config/config_store.hpp"
#include "broker/context.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class RexecService : public RpcService<RexecService> {
  public:
    static const RpcTable<RexecService> rpcs;

    explicit RexecService(BrokerContext& context)
        : RpcService(context.router, "rexec"),
          config_(context.config),
          server_({.io = context.io,
                   .rank = context.rank.value,
                   // Known only once the local socket listens.
                   .uri = [&attributes =
                               context.attributes] { return attributes.get_or("local-uri", ""); },
                   .respond = [this](Message response) { send(std::move(response)); },
                   .log = [&log = context.log](LogLevel level, const std::string& text) {
                       log.log(level, "rexec", text);
                   }}) {}

  private:
    void serve(Request request, const JsonObject&) {
        if (router().rank().value == 0 && allows_guests() && !request.local())
            return request.fail(
                sluice::fail(EPERM, "Remote rexec requests are not allowed on rank 0"));
        server_.serve(request.message().method(), request.message());
    }

    bool allows_guests() const {
        const Json* allowed = config_.find("access.allow-guest-user");
        return allowed && allowed->is_bool() && allowed->as_bool();
    }

    void send(Message response) {
        response.cred = {router().owner(), role::owner | role::local};
        router().response(std::move(response));
    }

    void on_disconnect(const Request& request) override {
        server_.serve("disconnect", request.message());
    }

    void on_client_pace(const Request& request, bool slow) override {
        server_.on_client_pace(request.message(), slow);
    }

    JsonObject stats() const override { return {{"processes", server_.size()}}; }

    const ConfigStore& config_;
    RexecServer server_;
};

const RpcTable<RexecService> RexecService::rpcs{
    {"exec", Caller::owner, Body::raw, &RexecService::serve},
    {"write", Caller::owner, Body::raw, &RexecService::serve},
    {"kill", Caller::owner, Body::raw, &RexecService::serve},
    {"list", Caller::owner, Body::raw, &RexecService::serve},
    {"wait", Caller::owner, Body::raw, &RexecService::serve},
    {"attach", Caller::owner, Body::raw, &RexecService::serve},
};

}  // namespace

Result<Part> make_rexec(BrokerContext& context) {
    return Part{std::make_shared<RexecService>(context)};
}

}  // namespace sluice
