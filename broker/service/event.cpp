// Publishing of events (event.publish, wire.md 1.5); subscriptions are the connector's.
#include "base/base64.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class EventService : public RpcService<EventService> {
  public:
    static const RpcTable<EventService> rpcs;

    explicit EventService(BrokerContext& context) : RpcService(context.router, "event") {}

  private:
    void publish(Request request, const JsonObject& payload) {
        if (router().rank().value != 0)
            return request.fail(sluice::fail(EPROTO, "this service is only available on rank 0"));
        request.respond(publish_event(request, payload));
    }

    Result<JsonObject> publish_event(const Request& request, const JsonObject& payload) {
        JsonReader in{payload};
        Message event = Message::event(in.string("topic"));
        const std::int64_t flags = in.integer("flags");
        const auto encoded = in.maybe_string("payload");
        if (!in) return in.error();
        if (flags != 0 && flags != message_flag::private_)
            return fail(EPROTO, "flags: {} is not 0 or {} (private)", flags,
                        int{message_flag::private_});
        event.flags |= static_cast<std::uint8_t>(flags);
        event.cred = request.message().cred;
        if (encoded) {
            auto bytes = base64_decode(*encoded);
            if (!bytes) return fail(EPROTO, "payload: {}", bytes.error().text());
            event.set_bytes(*std::move(bytes));
        }
        return JsonObject{{"seq", router().event(std::move(event))}};
    }
};

const RpcTable<EventService> EventService::rpcs{
    {"publish", Caller::any, Body::json, &EventService::publish},
};

}  // namespace

Result<Part> make_event(BrokerContext& context) {
    return Part{std::make_shared<EventService>(context)};
}

}  // namespace sluice
