// overlay.* - the tree over RPC: health, shape, ends of links (wire.md 2.12). Hello and goodbye are
// the link's own business and never come here.
#include "broker/overlay/overlay.hpp"

#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

JsonObject describe(const Topology& topology, Rank rank) {
    JsonArray children;
    for (const Rank child : topology.children(rank)) children.push_back(describe(topology, child));
    return {{"rank", rank.value},
            {"size", topology.descendants(rank) + 1},
            {"children", std::move(children)}};
}

class OverlayService : public RpcService<OverlayService> {
  public:
    static const RpcTable<OverlayService> rpcs;

    explicit OverlayService(BrokerContext& context)
        : RpcService(context.router, "overlay"),
          context_(context),
          alone_(PeerTable(context.rank, {}, monotonic_seconds())) {
        context.on_health.add([this] {
            const JsonObject health = this->health();
            for (const auto& watcher : watchers_.entries()) watcher.request.respond(health);
        });
    }

  private:
    JsonObject health() const {
        return context_.overlay ? context_.overlay->health() : alone_.health(monotonic_seconds());
    }

    void get_health(Request request, const JsonObject&) {
        request.respond(health());
        if (request.streaming()) watchers_.add(std::move(request));
    }

    void topology(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const Rank rank{static_cast<std::uint32_t>(in.integer("rank"))};
        if (!in) return request.fail(in.error());
        const Topology lone;
        const Topology& tree = context_.overlay ? context_.overlay->options().topology : lone;
        if (rank != context_.rank && tree.parent(rank) != context_.rank)
            return request.fail(
                sluice::fail(ENOENT, "rank {} is neither this broker nor its child", rank));
        request.respond(describe(tree, rank));
    }

    void disconnect_subtree(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const Rank rank{static_cast<std::uint32_t>(in.integer("rank"))};
        if (!in) return request.fail(in.error());
        if (!context_.overlay) return request.fail(sluice::fail(ENOENT, "no such peer"));
        request.respond(context_.overlay->disconnect_child(rank, "administrative disconnect"));
    }

    void disconnect_parent(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string reason = in.string_or("reason", "requested");
        if (!in) return request.fail(in.error());
        request.respond();
        if (context_.overlay) context_.overlay->disconnect_parent(reason);
    }

    void on_disconnect(const Request& request) override { watchers_.disconnect(request.sender()); }

    struct None {};
    BrokerContext& context_;
    PeerTable alone_;
    Streams<None> watchers_;
};

const RpcTable<OverlayService> OverlayService::rpcs{
    {"health", Caller::user, Body::none, &OverlayService::get_health},
    {"topology", Caller::user, Body::json, &OverlayService::topology},
    {"disconnect-subtree", Caller::owner, Body::json, &OverlayService::disconnect_subtree},
    {"disconnect-parent", Caller::owner, Body::maybe, &OverlayService::disconnect_parent},
};

}  // namespace

Result<Part> make_overlay(BrokerContext& context) {
    return Part{std::make_shared<OverlayService>(context)};
}

}  // namespace sluice
