// overlay.* - the tree over RPC: health, shape, ends of links (wire.md 2.12). Hello and goodbye are
// the link's own business and never come here.
#include "broker/overlay/overlay.hpp"

#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"
#include "broker/service/trace_streams.hpp"

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

    void trace(Request request, const JsonObject& payload) {
        if (!traces_.add(std::move(request), payload) || !context_.overlay) return;
        context_.overlay->on_message = [this](const MessageTrace& trace) { traces_.show(trace); };
    }

    JsonObject stats() const override {
        std::size_t children = 0, connected = 0, above = 0, below = 0;
        const bool has_parent = context_.overlay && !context_.overlay->parent_uuid().empty();
        if (has_parent) above = context_.router.waiting_at(context_.overlay->parent_uuid());
        if (context_.overlay)
            for (const auto& [rank, peer] : context_.overlay->children().peers()) {
                ++children;
                connected += peer.online();
                below += context_.router.waiting_at(peer.uuid);
            }
        return {{"child-count", children},
                {"child-connected", connected},
                {"parent-count", has_parent ? 1 : 0},
                {"parent-rpc", above},
                {"child-rpc", below},
                {"interthread", JsonObject{{"sendq", 0}, {"recvq", 0}}}};
    }

    void on_disconnect(const Request& request) override {
        watchers_.disconnect(request.sender());
        traces_.disconnect(request.sender());
        if (traces_.empty() && context_.overlay) context_.overlay->on_message = {};
    }

    struct None {};
    BrokerContext& context_;
    PeerTable alone_;
    Streams<None> watchers_;
    TraceStreams traces_;
};

const RpcTable<OverlayService> OverlayService::rpcs{
    {"health", Caller::user, Body::none, &OverlayService::get_health},
    {"topology", Caller::user, Body::json, &OverlayService::topology},
    {"disconnect-subtree", Caller::owner, Body::json, &OverlayService::disconnect_subtree},
    {"trace", Caller::owner, Body::json, &OverlayService::trace},
    {"disconnect-parent", Caller::owner, Body::maybe, &OverlayService::disconnect_parent},
};

}  // namespace

Result<Part> make_overlay(BrokerContext& context) {
    return Part{std::make_shared<OverlayService>(context)};
}

}  // namespace sluice
