// config.* - the instance's configuration (wire.md 2.10). It changes on rank 0; every other broker
// follows its parent's stream.
#include "broker/config/config_store.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

class ConfigService : public RpcService<ConfigService> {
  public:
    static const RpcTable<ConfigService> rpcs;

    explicit ConfigService(BrokerContext& context)
        : RpcService(context.router, "config"), context_(context) {
        context.config.add_watcher([this](const JsonObject& config) {
            for (const auto& watcher : watchers_.entries()) watcher.request.respond(config);
        });
    }

  private:
    void get(Request request, const JsonObject&) {
        request.respond(context_.config.root());
        if (request.streaming()) watchers_.add(std::move(request));
    }

    void load(Request request, const JsonObject& payload) {
        if (refused_here(request)) return;
        request.respond(context_.config.replace(payload));
    }

    void reload(Request request, const JsonObject&) {
        if (refused_here(request)) return;
        Result<JsonObject> config = context_.read_config();
        if (!config) return request.fail(config.error());
        request.respond(context_.config.replace(*std::move(config)));
    }

    bool refused_here(const Request& request) {
        if (context_.rank.value == 0) return false;
        request.fail(sluice::fail(EINVAL, "configuration can only be changed on rank 0"));
        return true;
    }

    void on_disconnect(const Request& request) override {
        watchers_.disconnect(request.sender());
    }

    struct None {};
    BrokerContext& context_;
    Streams<None> watchers_;
};

const RpcTable<ConfigService> ConfigService::rpcs{
    {"get", Caller::user, Body::none, &ConfigService::get},
    {"load", Caller::owner, Body::json, &ConfigService::load},
    {"reload", Caller::owner, Body::none, &ConfigService::reload},
};

}  // namespace

Result<Part> make_config(BrokerContext& context) {
    return Part{std::make_shared<ConfigService>(context)};
}

}  // namespace sluice
