// flux kvs getroot, version, wait, sync, and namespaces.
#include <fmt/format.h>

#include <cstdio>

#include "base/blobref.hpp"
#include "cmd/client.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

struct Root {
    std::string rootref;
    std::int64_t rootseq = 0, owner = 0;
};

Result<Root> get_root(Handle& flux, const std::string& name_space) {
    SLUICE_TRY(const JsonObject reply, flux.call("kvs.getroot", {{"namespace", name_space}}));
    JsonReader in{reply};
    Root root{.rootref = in.string("rootref"),
              .rootseq = in.integer("rootseq"),
              .owner = in.integer("owner")};
    if (!in) return in.error();
    return root;
}

int cmd_namespace_create(int argc, char** argv) {
    std::int64_t owner = -1;
    std::string rootref;
    Cli cli("flux-kvs namespace create", CliStyle::c_tool, "[OPTIONS] name...",
            "Create namespaces.");
    cli.option("-o,--owner=UID", integer_into(owner), "User that owns them");
    cli.option("-r,--rootref=BLOBREF", rootref, "Begin with this root");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one name");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    if (rootref.empty()) {
        const std::string hash = flux->attr("content.hash").value_or("sha1");
        const auto digest = hash_blob(hash, dir_blob(TreeObject::make_dir()));
        if (!digest) return kvs_error(digest.error().text());
        rootref = blobref_of(hash, *digest);
    }
    for (const std::string& name : cli.words()) {
        const auto reply =
            flux->call("kvs.namespace-create",
                       {{"namespace", name}, {"rootref", rootref}, {"owner", owner}, {"flags", 0}},
                       {.nodeid = 0});
        if (!reply) return kvs_error(name, reply.error());
    }
    return 0;
}

int cmd_namespace_remove(int argc, char** argv) {
    Cli cli("flux-kvs namespace remove", CliStyle::c_tool, "name...", "Remove namespaces.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one name");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    for (const std::string& name : cli.words()) {
        const auto reply = flux->call("kvs.namespace-remove", {{"namespace", name}}, {.nodeid = 0});
        if (!reply) return kvs_error(name, reply.error());
    }
    return 0;
}

int cmd_namespace_list(int argc, char** argv) {
    Cli cli("flux-kvs namespace list", CliStyle::c_tool, "", "List namespaces.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const auto reply = flux->call("kvs.namespace-list");
    if (!reply) return kvs_error("kvs.namespace-list", reply.error());
    fmt::print("{:<36} {:>10} {:>10}\n", "NAMESPACE", "OWNER", "FLAGS");
    JsonReader in{*reply};
    for (const Json& item : in.array("namespaces")) {
        if (!item.is_object()) continue;
        JsonReader row{item.as_object()};
        fmt::print("{:<36} {:>10} 0x{:08X}\n", row.string("namespace"), row.integer("owner"),
                   row.integer("flags"));
    }
    return in ? 0 : kvs_error(in.error().text());
}

constexpr Command namespace_commands[] = {
    {"create", cmd_namespace_create, "Create namespaces"},
    {"remove", cmd_namespace_remove, "Remove namespaces"},
    {"list", cmd_namespace_list, "List namespaces"},
};

}  // namespace

int cmd_kvs_namespace(int argc, char** argv) {
    return run_subcommand("flux-kvs-namespace", namespace_commands, argc, argv);
}

int cmd_kvs_getroot(int argc, char** argv) {
    std::optional<std::string> name_space;
    bool sequence = false, owner = false, blobref = false;
    Cli cli("flux-kvs getroot", CliStyle::c_tool, "[OPTIONS]", "Print the current root.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace");
    cli.flag("-s,--sequence", sequence, "Print its sequence number");
    cli.flag("-o,--owner", owner, "Print the namespace's owner");
    cli.flag("-b,--blobref", blobref, "Print its blobref");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const auto root = get_root(*flux, kvs_namespace(name_space));
    if (!root) return kvs_error("flux_kvs_getroot", root.error());
    if (sequence)
        fmt::print("{}\n", root->rootseq);
    else if (owner)
        fmt::print("{}\n", root->owner);
    else if (blobref)
        fmt::print("{}\n", root->rootref);
    else
        fmt::print("{}\n", dump_json(encode_treeobj(TreeObject::make_dirref(root->rootref))));
    return 0;
}

int cmd_kvs_version(int argc, char** argv) {
    std::optional<std::string> name_space;
    Cli cli("flux-kvs version", CliStyle::c_tool, "[OPTIONS]", "Print the version of the KVS.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const auto root = get_root(*flux, kvs_namespace(name_space));
    if (!root) return kvs_error("flux_kvs_get_version", root.error());
    fmt::print("{}\n", root->rootseq);
    return 0;
}

int cmd_kvs_wait(int argc, char** argv) {
    std::optional<std::string> name_space;
    Cli cli("flux-kvs wait", CliStyle::c_tool, "[OPTIONS] version",
            "Wait until the KVS has reached a version.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give a version");
    const auto version = parse_integer(cli.words()[0]);
    if (!version) return kvs_error(version.error().text());
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const auto reply = flux->call(
        "kvs.wait-version", {{"rootseq", *version}, {"namespace", kvs_namespace(name_space)}});
    return reply ? 0 : kvs_error("flux_kvs_wait_version", reply.error());
}

int cmd_kvs_sync(int argc, char** argv) {
    std::optional<std::string> name_space;
    Cli cli("flux-kvs sync", CliStyle::c_tool, "[OPTIONS]",
            "Wait until all that was committed is safe in the store.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    constexpr std::int64_t sync = 4;
    const auto version = kvs_commit(*flux, kvs_namespace(name_space), {}, sync);
    return version ? 0 : kvs_error("flux_kvs_commit", version.error());
}

}  // namespace sluice
