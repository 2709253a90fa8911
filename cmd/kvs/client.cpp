#include "cmd/kvs/client.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cmd/instance.hpp"

namespace sluice {

std::string kvs_namespace(const std::optional<std::string>& given) {
    if (given) return *given;
    const char* variable = std::getenv("FLUX_KVS_NAMESPACE");
    return variable ? variable : "primary";
}

Result<JsonObject> kvs_payload(const KvsQuery& query) {
    JsonObject payload{{"key", query.key}, {"flags", query.flags}};
    if (query.at.empty()) {
        payload["namespace"] = query.name_space;
        return payload;
    }
    const auto root = parse_json_object(query.at);
    if (!root) return fail(EINVAL, "invalid tree object: {}", root.error().text());
    payload["rootdir"] = *root;
    return payload;
}

Result<TreeObject> kvs_lookup(Handle& flux, const KvsQuery& query) {
    SLUICE_TRY(const JsonObject payload, kvs_payload(query));
    SLUICE_TRY(const JsonObject reply, flux.call("kvs.lookup", payload));
    JsonReader in{reply};
    const JsonObject& object = in.object("val");
    if (!in) return in.error();
    return decode_treeobj(object);
}

Result<KvsVersion> kvs_commit(Handle& flux, const std::string& name_space,
                              const std::vector<KvsChange>& changes, std::int64_t flags) {
    JsonArray ops;
    for (const KvsChange& change : changes) {
        JsonObject op{{"key", change.key}, {"flags", change.flags}};
        op["dirent"] = change.object ? Json(encode_treeobj(*change.object)) : Json(nullptr);
        ops.push_back(std::move(op));
    }
    SLUICE_TRY(const JsonObject reply,
               flux.call("kvs.commit",
                         {{"namespace", name_space}, {"flags", flags}, {"ops", std::move(ops)}}));
    JsonReader in{reply};
    KvsVersion version{.rootref = in.string("rootref"), .rootseq = in.integer("rootseq")};
    if (!in) return in.error();
    return version;
}

Result<void> kvs_watch(Handle& flux, const KvsQuery& query, std::optional<double> seconds,
                       const std::function<KvsWatchStep(const TreeObject&)>& on_value) {
    using Clock = std::chrono::steady_clock;
    SLUICE_TRY(const JsonObject payload, kvs_payload(query));
    std::optional<Error> end;
    bool stopped = false;
    const Matchtag tag =
        flux.send("kvs-watch.lookup", payload, {.streaming = true}, [&](const Reply& reply) {
            if (stopped) return;
            const auto item = reply.json();
            if (!item) {
                end = item.error();
                return;
            }
            const Json* value = find_path(*item, "val");
            if (!value || !value->is_object()) return;
            const auto object = decode_treeobj(value->as_object());
            if (!object)
                end = object.error();
            else
                stopped = on_value(*object) == KvsWatchStep::stop;
        });
    const auto done = [&] { return stopped || end; };
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(seconds.value_or(0)));
    bool expired = false;
    if (!seconds) flux.run_until(done);
    while (seconds && !done() && !expired && flux.connected()) {
        flux.io().run_one_until(deadline);
        expired = !done() && Clock::now() >= deadline;
    }
    if (!end && flux.connected()) flux.cancel("kvs-watch.cancel", tag);
    flux.forget(tag);
    (void)flux.flush();
    if (end && end->errnum() != ENODATA) return *end;
    if (expired) return Error{ETIMEDOUT};
    if (!done()) return Error{ECONNRESET};
    return {};
}

void KvsCommitOutput::declare(Cli& cli) {
    cli.flag("-O,--treeobj-root", treeobj, "Print the new root as a tree object");
    cli.flag("-b,--blobref", blobref, "Print the new root's blobref");
    cli.flag("-s,--sequence", sequence, "Print the new root's sequence number");
}

void KvsCommitOutput::print(const KvsVersion& version) const {
    if (treeobj)
        fmt::print("{}\n", dump_json(encode_treeobj(TreeObject::make_dirref(version.rootref))));
    else if (blobref)
        fmt::print("{}\n", version.rootref);
    else if (sequence)
        fmt::print("{}\n", version.rootseq);
}

int kvs_error(const std::string& text) {
    fmt::print(stderr, "flux-kvs: {}\n", text);
    return 1;
}

int kvs_error(const std::string& what, const Error& error) {
    return kvs_error(what + ": " + errno_text(error));
}

}  // namespace sluice
