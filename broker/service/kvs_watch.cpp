// Watching keys (kvs-watch.*): a stream of values as they change, or one value once it is there.
#include "broker/kvs/watcher.hpp"
#include "broker/service/kvs_loader.hpp"
#include "broker/service/kvs_services.hpp"
#include "broker/service/streams.hpp"

namespace sluice {
namespace {

using Change = KvsNamespaces::Change;

/// A watcher that waits for blobs sees no changes meanwhile; it looks again when they are here.
struct WatchState {
    KvsWatcher watcher;
    std::uint64_t number = 0;
    bool loading = false;
};

Result<void> check_flags(const Request& request, std::int64_t flags) {
    constexpr std::int64_t of_watch = kvs_flag::watch_full | kvs_flag::watch_uniq |
                                      kvs_flag::watch_append | kvs_flag::initial_sentinel;
    if ((flags & kvs_flag::watch) && !request.streaming())
        return fail(EPROTO, "KVS watch request rejected without streaming RPC flag");
    if ((flags & kvs_flag::stream) && !request.streaming())
        return fail(EPROTO, "KVS stream request rejected without streaming RPC flag");
    if ((flags & kvs_flag::watch) && (flags & kvs_flag::stream))
        return fail(EINVAL, "Cannot KVS watch and stream at the same time");
    if (!(flags & kvs_flag::watch) && (flags & of_watch))
        return fail(EINVAL, "Must set KVS watch flag with other watch flags");
    if (!(flags & kvs_flag::watch_append) && (flags & kvs_flag::initial_sentinel))
        return fail(EINVAL, "Must set KVS watch append flag with initial sentinel flag");
    return {};
}

class KvsWatchService : public RpcService<KvsWatchService> {
  public:
    static const RpcTable<KvsWatchService> rpcs;

    KvsWatchService(Router& router, KvsNamespaces& kvs, Content& content, OnKvsChange& on_change)
        : RpcService(router, "kvs-watch"), kvs_(kvs), content_(content) {
        on_change = [this](const Change& change) { update(change); };
    }

  private:
    using Entry = Streams<WatchState>::Entry;

    void lookup(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        const std::string key = in.string("key");
        const std::int64_t flags = in.integer("flags");
        if (!in) return request.fail(in.error());
        if (const auto checked = check_flags(request, flags); !checked)
            return request.fail(checked.error());
        const auto state = kvs_.find(name, request.message().cred);
        if (!state && !(state.error().errnum() == ENOTSUP && (flags & kvs_flag::waitcreate)))
            return request.fail(state.error());
        Entry entry{std::move(request), {KvsWatcher{name, key, flags}, next_number_++}};
        auto blobs = std::make_shared<KvsBlobs>(content_.cache());
        if (look(entry, blobs)) return;
        const std::uint64_t number = entry.state.number;
        const bool loading = entry.state.loading;
        watchers_.add(std::move(entry.request), std::move(entry.state));
        if (loading) load(number, std::move(blobs));
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

    bool look(Entry& entry, const std::shared_ptr<KvsBlobs>& blobs) {
        const auto step =
            entry.state.watcher.look(kvs_, entry.request.message().cred, *blobs);
        entry.state.loading = step.missing;
        return !step.missing && send(entry.request, step);
    }

    /// Looks again for watcher `number` once what it missed is here, if it is still wanted then.
    void load(std::uint64_t number, std::shared_ptr<KvsBlobs> blobs) {
        load_missing(content_, blobs, [this, number, blobs] {
            bool again = false;
            watchers_.remove_if([&](Entry& entry) {
                if (entry.state.number != number) return false;
                if (look(entry, blobs)) return true;
                again = entry.state.loading;
                return false;
            });
            if (again) load(number, blobs);
        });
    }

    void update(const Change& change) {
        std::vector<std::pair<std::uint64_t, std::shared_ptr<KvsBlobs>>> loads;
        watchers_.remove_if([&](Entry& entry) {
            WatchState& state = entry.state;
            if (state.watcher.name_space() != change.name || state.loading) return false;
            auto blobs = std::make_shared<KvsBlobs>(content_.cache());
            const auto step =
                state.watcher.update(change, kvs_, entry.request.message().cred, *blobs);
            state.loading = step.missing;
            if (!step.missing) return send(entry.request, step);
            loads.emplace_back(state.number, std::move(blobs));
            return false;
        });
        for (auto& [number, blobs] : loads) load(number, std::move(blobs));
    }

    void cancel(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t matchtag = in.integer("matchtag");
        if (in) watchers_.cancel(request, matchtag);
    }

    void on_disconnect(const Request& request) override { watchers_.disconnect(request.sender()); }

    JsonObject stats() const override {
        std::map<std::string, std::int64_t> counts;
        for (const Entry& entry : watchers_.entries()) ++counts[entry.state.watcher.name_space()];
        JsonObject namespaces;
        for (const auto& [name, count] : counts) {
            const auto found = kvs_.all().find(name);
            const KvsNamespace* state = found == kvs_.all().end() ? nullptr : &found->second;
            namespaces[name] = JsonObject{{"owner", state ? Json(state->owner.value) : Json(-1)},
                                          {"rootseq", state ? state->rootseq : -1},
                                          {"rootref", state ? state->rootref() : "(null)"},
                                          {"watchers", count}};
        }
        return {{"watchers", watchers_.entries().size()},
                {"namespace-count", counts.size()},
                {"namespaces", std::move(namespaces)}};
    }

    KvsNamespaces& kvs_;
    Content& content_;
    Streams<WatchState> watchers_;
    std::uint64_t next_number_ = 1;
};

const RpcTable<KvsWatchService> KvsWatchService::rpcs{
    {"lookup", Caller::user, Body::json, &KvsWatchService::lookup},
    {"cancel", Caller::user, Body::json, &KvsWatchService::cancel},
};

}  // namespace

std::unique_ptr<Service> make_kvs_watch_service(Router& router, KvsNamespaces& kvs,
                                                Content& content, OnKvsChange& on_change) {
    return std::make_unique<KvsWatchService>(router, kvs, content, on_change);
}

}  // namespace sluice
