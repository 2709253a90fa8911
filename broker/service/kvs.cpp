// The key-value store (kvs.*): lookups, atomic commits, namespaces. One copy, on rank 0; requests
// of other ranks walk up to it, so that what one rank has written every rank reads.
#include "broker/config/attributes.hpp"
#include "broker/context.hpp"
#include "broker/parts.hpp"
#include "broker/service/kvs_services.hpp"

namespace sluice {
namespace {

class KvsService : public RpcService<KvsService> {
  public:
    static const RpcTable<KvsService> rpcs;

    KvsService(Router& router, KvsNamespaces& kvs) : RpcService(router, "kvs"), kvs_(kvs) {}

    /// Answers those who wait for a version that is there now, or for a namespace that is gone.
    void on_change(const std::string& name) {
        const auto found = kvs_.all().find(name);
        std::erase_if(waiters_, [&](const Waiter& waiter) {
            if (waiter.name_space != name) return false;
            if (found == kvs_.all().end()) return waiter.request.fail(Error{ENOTSUP}), true;
            if (found->second.rootseq < waiter.rootseq) return false;
            return waiter.request.respond(version(found->second)), true;
        });
    }

  private:
    struct Waiter {
        Request request;
        std::string name_space;
        std::int64_t rootseq;
    };

    static JsonObject version(const KvsNamespace& state) {
        return {{"rootref", state.rootref}, {"rootseq", state.rootseq}};
    }

    static Result<KvsNamespaces::Lookup> decode_lookup(const JsonObject& payload) {
        JsonReader in{payload};
        KvsNamespaces::Lookup lookup{.key = in.string("key"),
                                     .name_space = in.string_or("namespace", "primary"),
                                     .flags = in.integer_or("flags", 0)};
        const JsonObject* rootdir = in.maybe_object("rootdir");
        if (!in) return in.error();
        if (rootdir) {
            SLUICE_TRY(const TreeObject root, decode_treeobj(*rootdir));
            if (root.kind != TreeObject::Kind::dirref)
                return fail(EINVAL, "rootdir is not a dirref");
            lookup.rootref = root.refs[0];
        }
        return lookup;
    }

    void lookup(Request request, const JsonObject& payload) {
        const auto lookup = decode_lookup(payload);
        if (!lookup) return request.fail(lookup.error());
        const auto object = kvs_.lookup(*lookup, request.message().cred);
        if (!object) return request.fail(object.error());
        request.respond(JsonObject{{"val", encode_treeobj(*object)}});
    }

    void lookup_plus(Request request, const JsonObject& payload) {
        auto lookup = decode_lookup(payload);
        if (!lookup) return request.fail(lookup.error());
        const auto state = kvs_.find(lookup->name_space, request.message().cred);
        if (!state) return request.fail(state.error());
        const auto object = kvs_.lookup(*lookup, request.message().cred);
        JsonObject reply = version(**state);
        if (object)
            reply["val"] = encode_treeobj(*object);
        else
            reply["errno"] = object.error().errnum();
        request.respond(reply);
    }

    void commit(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        const JsonArray& array = in.array("ops");
        if (!in) return request.fail(in.error());
        const auto ops = decode_ops(array);
        if (!ops) return request.fail(ops.error());
        const auto state = kvs_.commit(name, *ops, request.message().cred);
        if (!state) return request.fail(state.error());
        request.respond(version(*state));
    }

    void get_root(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        if (!in) return request.fail(in.error());
        const auto state = kvs_.find(name, request.message().cred);
        if (!state) return request.fail(state.error());
        request.respond(JsonObject{{"owner", (*state)->owner.value},
                                   {"rootseq", (*state)->rootseq},
                                   {"rootref", (*state)->rootref},
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
        request.respond(
            kvs_.create(name, {.owner = UserId{owner},
                               .flags = flags,
                               .rootref = rootref.empty() ? kvs_.tree().empty_root() : rootref}));
    }

    void namespace_remove(Request request, const JsonObject& payload) {
        JsonReader in{payload};
        const std::string name = in.string("namespace");
        if (!in) return request.fail(in.error());
        request.respond(kvs_.remove(name));
    }

    void namespace_list(Request request, const JsonObject&) {
        JsonArray namespaces;
        for (const auto& [name, state] : kvs_.all())
            namespaces.push_back(JsonObject{
                {"namespace", name}, {"owner", state.owner.value}, {"flags", state.flags}});
        request.respond(JsonObject{{"namespaces", std::move(namespaces)}});
    }

    void on_disconnect(const Request& request) override {
        std::erase_if(waiters_, [&](const Waiter& waiter) {
            return waiter.request.sender() == request.sender();
        });
    }

    KvsNamespaces& kvs_;
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
};

/// Store and services; the services go first.
struct KvsPart {
    KvsPart(BrokerContext& context)
        : content(context.attributes.get_or("content.hash", "sha1")),
          namespaces(content, context.router.owner()),
          content_service(make_content_service(context.router, content)),
          kvs(context.router, namespaces),
          kvs_watch(make_kvs_watch_service(context.router, namespaces, watchers)) {
        namespaces.watch([this](const std::string& name, const std::set<std::string>& keys) {
            kvs.on_change(name);
            watchers(name, keys);
        });
    }

    ContentCache content;
    KvsNamespaces namespaces;
    KvsNamespaces::OnChange watchers;
    std::unique_ptr<Service> content_service;
    KvsService kvs;
    std::unique_ptr<Service> kvs_watch;
};

}  // namespace

Result<Part> make_kvs(BrokerContext& context) {
    return Part{std::make_shared<KvsPart>(context)};
}

}  // namespace sluice
