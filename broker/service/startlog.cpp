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
        const JsonObject start{{"version", 1}, {"core_version", protocol_version}};
        const JsonObject finish{{"version", 1}};
        // The start is on disk before anything can go wrong: a crash shows as a start without end.
        context.rc1_steps.push_back({"startlog", [this, start](auto done) {
                                         append({.name = "start", .context = start},
                                                KvsDurable::at_once, std::move(done));
                                     }});
        context.rc3_steps.push_back({"startlog", [this, finish](auto done) {
                                         append({.name = "finish", .context = finish},
                                                KvsDurable::later, std::move(done));
                                     }});
    }

  private:
    void append(Event event, KvsDurable durable, std::function<void(Result<void>)> done) {
        event.timestamp = wall_clock_now();
        const JsonArray operations{
            kvs_operation("admin.eventlog", encode_event(event), KvsWrite::append)};
        rpc_.call("kvs.commit", kvs_commit(operations, durable), {},
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
