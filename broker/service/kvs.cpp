// The key-value store (kvs.*): lookups, atomic commits, namespaces. One copy, on rank 0; requests
// of other ranks walk up to it, so that what one rank has written every rank reads.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cmath>

#include "base/blobref.hpp"
#include "base/rfc/fsd.hpp"
#include "broker/config/attributes.hpp"
#include "broker/config/config_store.hpp"
#include "broker/log/logger.hpp"
#include "broker/parts.hpp"
#include "broker/service/kvs_commits.hpp"
#include "broker/service/kvs_loader.hpp"
#include "broker/service/kvs_services.hpp"

namespace sluice {
namespace {

using Change = KvsNamespaces::Change;

constexpr std::size_t entries_max = 500'000;  // of directories kept in memory

Result<KvsNamespaces::Lookup> decode_lookup(const JsonObject& payload) {
    JsonReader in{payload};
    KvsNamespaces::Lookup lookup{.key = in.string("key"),
                                 .name_space = in.string_or("namespace", ""),
                                 .flags = in.integer("flags")};
    const JsonObject* rootdir = in.maybe_object("rootdir");
    if (!in) return in.error();
    if (rootdir) {
        const auto root = decode_treeobj(*rootdir);
        if (!root || root->kind != TreeObject::Kind::dirref)
            return fail(EINVAL, "rootdir is not a dirref");
        lookup.rootref = root->refs[0];
    } else if (lookup.name_space.empty()) {
        return fail(EPROTO, "namespace: missing, and there is no rootdir");
    }
    return lookup;
}

class KvsService : public RpcService<KvsService> {
  public:
    static const RpcTable<KvsService> rpcs;

    KvsService(BrokerContext& context, KvsNamespaces& kvs, KvsCommits& commits)
        : RpcService(context.router, "kvs"),
          kvs_(kvs),
          commits_(commits),
          content_(*context.content->content),
          rpc_(context.router) {}

    /// Answers those who wait for a version that is there now, or for a namespace that is gone.
    void on_change(const Change& change) {
        if (change.kind != Change::Kind::commit) publish(change);
        std::erase_if(waiters_, [&](const Waiter& waiter) {
            if (waiter.name_space != change.name) return false;
            if (!change.state) return waiter.request.fail(Error{ENOTSUP}), true;
            if (change.state->rootseq < waiter.rootseq) return false;
            return waiter.request.respond(version(*change.state)), true;
        });
    }

  private:
    struct Waiter {
        Request request;
        std::string name_space;
        std::int64_t rootseq;
    };

    static JsonObject version(const KvsNamespace& state) {
        return {{"rootref", state.rootref()}, {"rootseq", state.rootseq}};
    }

    void publish(const Change& change) {
        JsonObject payload{{"namespace", change.name}};
        if (change.state) {
            payload["rootseq"] = change.state->rootseq;
            payload["rootref"] = change.state->rootref();
            payload["owner"] = change.state->owner.value;
        }
        rpc_.publish("kvs.namespace-" + change.name + (change.state ? "-created" : "-removed"),
                     payload, message_flag::private_);
    }

    void lookup(Request request, const JsonObject& payload) {
        const auto lookup = decode_lookup(payload);
        if (!lookup) return request.fail(lookup.error());
        if (!lookup->rootref.empty() || lookup->name_space != "primary" || !request.privileged())
            return look_up(request, *lookup);
        commits_.prepare(lookup->key, [this, request, lookup = *lookup] {
            look_up(request, lookup);
        });
    }

    void look_up(const Request& request, const KvsNamespaces::Lookup& lookup) {
        with_blobs(content_, std::make_shared<KvsBlobs>(content_.cache()),
                   [this, request, lookup](KvsBlobs& blobs) {
                       const auto object = kvs_.lookup(lookup, request.message().cred, blobs);
                       if (blobs.missing()) return;
                       if (!object) return request.fail(object.error());
                       request.respond(JsonObject{{"val", encode_treeobj(*object)}});
                   });
    }

    /// With the root that was looked at; a key that is not there is no error.
    void lookup_plus(Request request, const JsonObject& payload) {
        auto lookup = decode_lookup(payload);
        if (!lookup) return request.fail(lookup.error());
        JsonObject reply{{"rootref", lookup->rootref}, {"rootseq", 0}};
        if (lookup->rootref.empty()) {
            const auto state = kvs_.find(lookup->name_space, request.message().cred);
            if (!state) return request.fail(state.error());
            reply = version(**state);
        } else if (const auto sequence = payload.find("rootseq"); sequence != payload.end()) {
            reply["rootseq"] = sequence->value();
        }
        with_blobs(content_, std::make_shared<KvsBlobs>(content_.cache()),
                   [this, request, lookup = *std::move(lookup), reply](KvsBlobs& blobs) {
                       const auto object = kvs_.lookup(lookup, request.message().cred, blobs);
                       if (blobs.missing()) return;
                       JsonObject answer = reply;
                       if (object) answer["val"] = encode_treeobj(*object);
                       else if (object.error().errnum() == ENOENT) answer["errno"] = ENOENT;
                       else return request.fail(object.error());
                       request.respond(answer);
                   });
    }

    void commit(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        const JsonArray& array = in.array("ops");
        const std::int64_t flags = in.integer("flags");
        if (!in) return request.fail(in.error());
        auto ops = decode_ops(array);
        if (!ops) return request.fail(ops.error());
        const Credential& user = request.message().cred;
        if (const auto allowed = KvsNamespaces::check_guest(*ops, user); !allowed)
            return request.fail(allowed.error());
        if (const auto state = kvs_.find(name, user); !state) return request.fail(state.error());
        commits_.submit(name, *std::move(ops), flags,
                        [request](const Result<KvsCommits::Version>& version) {
                            if (!version) return request.fail(version.error());
                            request.respond(JsonObject{{"rootref", version->rootref},
                                                       {"rootseq", version->rootseq}});
                        });
    }

    /// Who asks with flags (all but the askers for a version) wants to read the whole tree.
    void get_root(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        if (!in) return request.fail(in.error());
        if (name != "primary" || !payload.contains("flags") || !request.privileged())
            return answer_root(request, name);
        commits_.prepare(".", [this, request, name] {
            content_.flush([](const Result<void>&) {});  // it is to stay readable
            answer_root(request, name);
        });
    }

    void answer_root(const Request& request, const std::string& name) {
        const auto state = kvs_.find(name, request.message().cred);
        if (!state) return request.fail(state.error());
        request.respond(JsonObject{{"owner", (*state)->owner.value},
                                   {"rootseq", (*state)->rootseq},
                                   {"rootref", (*state)->rootref()},
                                   {"flags", (*state)->flags},
                                   {"namespace", name}});
    }

    void wait_version(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::int64_t rootseq = in.integer("rootseq");
        const std::string name = in.string("namespace");
        if (!in) return request.fail(in.error());
        const auto state = kvs_.find(name, request.message().cred);
        if (!state) return request.fail(state.error());
        if ((*state)->rootseq >= rootseq) return request.respond(version(**state));
        waiters_.push_back({std::move(request), name, rootseq});
    }

    void namespace_create(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        const std::string rootref = in.string_or("rootref", "");
        const auto owner = static_cast<std::uint32_t>(in.integer("owner"));
        const std::int64_t flags = in.integer_or("flags", 0);
        if (!in) return request.fail(in.error());
        if (!rootref.empty() && !parse_blobref(rootref))
            return request.fail(sluice::fail(EINVAL, "rootref: '{}' is not a blobref", rootref));
        request.respond(kvs_.create(name, UserId{owner}, flags, rootref));
    }

    void namespace_remove(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        if (!in) return request.fail(in.error());
        request.respond(kvs_.remove(name));
    }

    void namespace_list(Request request, const JsonObject&) {
        JsonArray namespaces;
        const auto add = [&](const std::string& name, const KvsNamespace& state) {
            namespaces.push_back(JsonObject{
                {"namespace", name}, {"owner", state.owner.value}, {"flags", state.flags}});
        };
        add("primary", kvs_.all().find("primary")->second);
        for (const auto& [name, state] : kvs_.all())
            if (name != "primary") add(name, state);
        request.respond(JsonObject{{"namespaces", std::move(namespaces)}});
    }

    void dropcache(Request request, const JsonObject&) {
        kvs_.trim(0);
        request.respond();
    }

    void on_disconnect(const Request& request) override {
        std::erase_if(waiters_, [&](const Waiter& waiter) {
            return waiter.request.sender() == request.sender();
        });
    }

    JsonObject stats() const override {
        const auto cache = content_.cache().stats();
        const KvsCommits::Stats& commits = commits_.stats();
        const double bytes = static_cast<double>(cache.bytes);
        const double count = static_cast<double>(cache.count);
        JsonObject namespaces;
        for (const auto& [name, state] : kvs_.all())
            namespaces[name] = JsonObject{{"#versionwaiters", waiters_of(name)},
                                          {"#no-op stores", 0},
                                          {"#transactions", 0},
                                          {"#readytransactions", 0},
                                          {"store revision", state.rootseq}};
        const double variance =
            commits.commits > 1 ? commits.square_sum / static_cast<double>(commits.commits - 1) : 0;
        return {{"cache",
                 JsonObject{{"obj size total (MiB)", bytes / (1 << 20)},
                            {"obj size (KiB)",
                             JsonObject{{"count", cache.count},
                                        {"min", 0},
                                        {"mean", count > 0 ? bytes / 1000 / count : 0.0},
                                        {"stddev", 0.0},
                                        {"max", 0}}},
                            {"#obj dirty", cache.dirty},
                            {"#obj incomplete", 0},
                            {"#faults", 0}}},
                {"namespace", std::move(namespaces)},
                {"transaction-opcount",
                 JsonObject{{"commit", JsonObject{{"count", commits.commits},
                                                  {"min", commits.ops_min},
                                                  {"mean", commits.mean},
                                                  {"stddev", std::sqrt(variance)},
                                                  {"max", commits.ops_max}}}}},
                {"pending_requests", waiters_.size()}};
    }

    std::int64_t waiters_of(const std::string& name) const {
        return std::ranges::count(waiters_, name, &Waiter::name_space);
    }

    KvsNamespaces& kvs_;
    KvsCommits& commits_;
    Content& content_;
    RpcClient rpc_;
    std::vector<Waiter> waiters_;
};

const RpcTable<KvsService> KvsService::rpcs{
    {"lookup", Caller::user, Body::json, &KvsService::lookup},
    {"lookup-plus", Caller::user, Body::json, &KvsService::lookup_plus},
    {"commit", Caller::user, Body::json, &KvsService::commit},
    {"getroot", Caller::user, Body::json, &KvsService::get_root},
    {"wait-version", Caller::user, Body::json, &KvsService::wait_version},
    {"namespace-create", Caller::owner, Body::json, &KvsService::namespace_create},
    {"namespace-remove", Caller::owner, Body::json, &KvsService::namespace_remove},
    {"namespace-list", Caller::user, Body::none, &KvsService::namespace_list},
    {"dropcache", Caller::owner, Body::none, &KvsService::dropcache},
};

/// [kvs] checkpoint-period, in seconds; 0: none.
Result<double> checkpoint_period(const JsonObject& config) {
    const Json* value = find_path(config, "kvs.checkpoint-period");
    if (!value) return 0.0;
    if (value->is_string())
        if (const auto seconds = fsd_parse(std::string_view{value->as_string()})) return *seconds;
    return fail(EINVAL, "kvs.checkpoint-period: found {}, want a duration such as \"30m\"",
                dump_json(*value));
}

/// Store and services; the services go first.
struct KvsPart {
    explicit KvsPart(BrokerContext& broker)
        : context(broker),
          content(*broker.content->content),
          namespaces(content.cache(), broker.router.owner()),
          commits(broker, namespaces),
          service(broker, namespaces, commits),
          watch(make_kvs_watch_service(broker.router, namespaces, content, on_watch)),
          timer(broker.io) {
        namespaces.watch([this](const Change& change) {
            service.on_change(change);
            on_watch(change);
        });
        namespaces.on_missing([this](std::string_view name) {
            return commits.mount() && commits.mount()->open_namespace(name);
        });
        content.hooks.root = [this] {
            namespaces.trim(entries_max);
            return commits.automatic_checkpoint();
        };
    }
    ~KvsPart() {
        content.hooks.root = nullptr;
        context.kvs = nullptr;
    }

    Result<void> start();
    void set_period(double seconds);

    BrokerContext& context;
    Content& content;
    KvsNamespaces namespaces;
    OnKvsChange on_watch;
    KvsCommits commits;
    KvsService service;
    std::unique_ptr<Service> watch;
    boost::asio::steady_timer timer;
};

/// Goes on from the latest checkpoint whose root is there.
Result<void> KvsPart::start() {
    SqliteStore& store = content.backing();
    SLUICE_TRY(const std::vector<std::string> checkpoints, store.load_checkpoints());
    for (const std::string& text : checkpoints) {
        const JsonObject value = parse_json_object(text).value_or({});
        JsonReader in{value};
        const std::string rootref = in.string("rootref");
        const std::int64_t sequence = in.integer_or("sequence", 0);
        if (in) {
            SLUICE_TRY(const auto root, store.load_blob(rootref));
            if (root) {
                namespaces.set_primary(rootref, sequence);
                break;
            }
        }
        context.log.err("kvs", "checkpoint {}: its root is not in the content store", text);
    }
    SLUICE_TRY(const double period, checkpoint_period(context.config.root()));
    set_period(period);
    context.config.add_check([](const JsonObject& config) -> Result<void> {
        SLUICE_CHECK(checkpoint_period(config));
        return {};
    });
    context.config.add_watcher([this](const JsonObject& config) {
        set_period(checkpoint_period(config).value_or(0));
    });
    context.kvs = &commits;
    if (checkpoints.empty()) content.write_behind();  // also an empty root has its checkpoint
    context.rc3_steps.push_back(
        {"kvs", [this](std::function<void(Result<void>)> done) {
             if (context.content->temporary && !context.attributes.has("content.dump"))
                 return done({});  // nobody will read it
             const auto checkpoint = [this, done = std::move(done)] {
                 commits.checkpoint([done](const Result<void>& kept) { done(kept); });
             };
             if (context.attributes.has("content.dump")) commits.prepare(".", checkpoint);
             else checkpoint();
         }});
    return {};
}

void KvsPart::set_period(double seconds) {
    timer.cancel();
    if (seconds <= 0) return;
    timer.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(seconds)));
    timer.async_wait([this, seconds](boost::system::error_code error) {
        if (error) return;
        commits.checkpoint_if_changed();
        set_period(seconds);
    });
}

}  // namespace

Result<Part> make_kvs(BrokerContext& context) {
    auto part = std::make_shared<KvsPart>(context);
    SLUICE_CHECK(part->start());
    return Part{std::move(part)};
}

}  // namespace sluice
