// Watching keys (kvs-watch.*): a stream of values as they change, or one value once it is there.
#include "broker/kvs/watcher.hpp"
#include "broker/service/kvs_services.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

class KvsWatchService : public RpcService<KvsWatchService> {
  public:
    static const RpcTable<KvsWatchService> rpcs;

    KvsWatchService(Router& router, KvsNamespaces& kvs, KvsNamespaces::OnChange& on_change)
        : RpcService(router, "kvs-watch"), kvs_(kvs) {
        on_change = [this](const std::string& name, const std::set<std::string>& keys) {
            update(name, keys);
        };
    }

  private:
    void lookup(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        const std::string key = in.string("key");
        const std::int64_t flags = in.integer("flags");
        if (!in) return request.fail(in.error());
        if ((flags & (kvs_flag::watch | kvs_flag::stream)) && !request.streaming())
            return request.fail(
                sluice::fail(EPROTO, "kvs-watch.lookup: the request must have the STREAMING flag"));
        const auto state = kvs_.find(name, request.message().cred);
        if (!state && !(state.error().errnum() == ENOTSUP && (flags & kvs_flag::waitcreate)))
            return request.fail(state.error());
        KvsWatcher watcher{name, key, flags};
        if (!send(request, watcher.start(kvs_, request.message().cred)))
            watchers_.add(std::move(request), std::move(watcher));
    }

    /// True when that was the end.
    static bool send(const Request& request, const KvsWatcher::Step& step) {
        for (const TreeObject& object : step.replies)
            request.respond(JsonObject{{"val", encode_treeobj(object)}});
        if (step.sentinel) request.respond();
        if (!step.end) return false;
        // A request for one value has had its only response.
        if (step.replies.empty() || request.streaming()) request.fail(*step.end);
        return true;
    }

    void update(const std::string& name, const std::set<std::string>& keys) {
        watchers_.remove_if([&](auto& entry) {
            if (entry.state.name_space() != name) return false;
            return send(entry.request,
                        entry.state.update(kvs_, entry.request.message().cred, keys));
        });
    }

    void cancel(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t matchtag = in.integer("matchtag");
        if (in) watchers_.cancel(request, matchtag);
    }

    void on_disconnect(const Request& request) override { watchers_.disconnect(request.sender()); }

    JsonObject stats() const override { return {{"watchers", watchers_.entries().size()}}; }

    KvsNamespaces& kvs_;
    Streams<KvsWatcher> watchers_;
};

const RpcTable<KvsWatchService> KvsWatchService::rpcs{
    {"lookup", Caller::user, Body::json, &KvsWatchService::lookup},
    {"cancel", Caller::user, Body::json, &KvsWatchService::cancel},
};

}  // namespace

std::unique_ptr<Service> make_kvs_watch_service(Router& router, KvsNamespaces& kvs,
                                                KvsNamespaces::OnChange& on_change) {
    return std::make_unique<KvsWatchService>(router, kvs, on_change);
}

}  // namespace sluice
