// attr.* - broker attributes over RPC (wire.md 2.1). Values are strings; the set of names is
// closed.
#include "broker/config/attributes.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class AttrService : public RpcService<AttrService> {
  public:
    static const RpcTable<AttrService> rpcs;

    explicit AttrService(BrokerContext& context)
        : RpcService(context.router, "attr"), attributes_(context.attributes) {}

  private:
    void get(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        if (!in) return request.fail(in.error());
        const auto value = attributes_.find(name);
        if (!value) return request.fail(Error{ENOENT});
        request.respond(
            JsonObject{{"value", *value}, {"flags", attributes_.immutable(name) ? 1 : 0}});
    }

    void set(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        const std::string value = in.string("value");
        const bool force = in.boolean_or("force", false);
        if (!in) return request.fail(in.error());
        request.respond(attributes_.update(name, value, force));
    }

    void remove(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("name");
        if (!in) return request.fail(in.error());
        request.respond(attributes_.remove(name));
    }

    void list(Request request, const JsonObject&) {
        JsonArray names;
        for (const std::string& name : attributes_.names()) names.emplace_back(name);
        request.respond(JsonObject{{"names", std::move(names)}});
    }

    Attributes& attributes_;
};

const RpcTable<AttrService> AttrService::rpcs{
    {"get", Caller::any, Body::json, &AttrService::get},
    {"set", Caller::owner, Body::json, &AttrService::set},
    {"rm", Caller::owner, Body::json, &AttrService::remove},
    {"list", Caller::any, Body::none, &AttrService::list},
};

}  // namespace

Result<Part> make_attr(BrokerContext& context) {
    return Part{std::make_shared<AttrService>(context)};
}

}  // namespace sluice
