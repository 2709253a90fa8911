// When the instance started and finished: events in KVS key admin.eventlog, for flux startlog.
#include "base/rfc/eventlog.hpp"
#include "broker/context.hpp"
#include "broker/identity.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/kvs_write.hpp"

namespace sluice {
namespace {

class StartLog {
  public:
    explicit StartLog(BrokerContext& context) : rpc_(context.router) {
        const JsonObject about{{"version", 1}, {"core_version", protocol_version}};
        context.rc1_steps.push_back({"startlog", [this, about](auto done) {
                                         append({.name = "start", .context = about},
                                                std::move(done));
                                     }});
        context.rc3_steps.push_back(
            {"startlog", [this](auto done) { append({.name = "finish"}, std::move(done)); }});
    }

  private:
    void append(Event event, std::function<void(Result<void>)> done) {
        event.timestamp = wall_clock_now();
        const JsonArray operations{
            kvs_operation("admin.eventlog", encode_event(event), KvsWrite::append)};
        rpc_.call("kvs.commit", kvs_commit(operations), {},
                  [done = std::move(done)](const Reply& reply) {
                      done(reply.ok() ? Result<void>{} : Result<void>{reply.error()});
                  });
    }

    RpcClient rpc_;
};

}  // namespace

Result<Part> make_startlog(BrokerContext& context) {
    return Part{std::make_shared<StartLog>(context)};
}

}  // namespace sluice
