// shutdown.start - ends the instance; a streaming request sees the log until it is over (wire.md
// 2.12).
#include "broker/context.hpp"
#include "broker/lifecycle/lifecycle.hpp"
#include "broker/parts.hpp"
#include "broker/router/rpc_client.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

class ShutdownService : public RpcService<ShutdownService> {
  public:
    static const RpcTable<ShutdownService> rpcs;

    explicit ShutdownService(BrokerContext& context)
        : RpcService(context.router, "shutdown"), context_(context), rpc_(context.router) {
        context.lifecycle->on_change.add([this](BrokerState state) {
            if (state != BrokerState::goodbye) return;
            watchers_.remove_if([](const auto& entry) {
                entry.request.end_stream();
                return true;
            });
        });
    }

  private:
    void start(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const auto level = in.integer_or("loglevel", static_cast<int>(LogLevel::info));
        if (!in) return request.fail(in.error());
        if (context_.rank.value != 0)
            return request.fail(sluice::fail(EINVAL, "shutdown may only be initiated on rank 0"));
        const BrokerState state = context_.lifecycle->state();
        if (state != BrokerState::run)
            return request.fail(sluice::fail(
                EINVAL, "shutdown cannot be initiated in state {}", broker_state_name(state)));
        if (request.streaming()) {
            watch_log();
            watchers_.add(std::move(request), level);
        } else {
            request.respond();
        }
        context_.lifecycle->shutdown();
    }

    void watch_log() {
        if (std::exchange(watching_, true)) return;
        rpc_.call("log.dmesg", JsonObject{{"follow", true}, {"nobacklog", true}},
                  {.nodeid = 0, .streaming = true}, [this](const Reply& reply) {
                      if (reply.ok()) show(reply.message.text());
                  });
    }

    void show(std::string_view text) {
        const auto line = parse_log_line(text);
        if (!line) return;
        for (const auto& watcher : watchers_.entries())
            if (static_cast<std::int64_t>(line->level) <= watcher.state)
                watcher.request.respond(JsonObject{{"log", show_log_line(*line) + "\n"}});
    }

    void on_disconnect(const Request& request) override {
        watchers_.disconnect(request.sender());
    }

    BrokerContext& context_;
    RpcClient rpc_;
    Streams<std::int64_t> watchers_;  // with the highest level each wants
    bool watching_ = false;
};

const RpcTable<ShutdownService> ShutdownService::rpcs{
    {"start", Caller::owner, Body::maybe, &ShutdownService::start},
};

}  // namespace

Result<Part> make_shutdown(BrokerContext& context) {
    return Part{std::make_shared<ShutdownService>(context)};
}

}  // namespace sluice
