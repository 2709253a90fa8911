// flux kvs unlink, link, readlink, mkdir, copy, move.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

/// Commits and prints; the exit code.
int commit(Handle& flux, const std::string& name_space, const std::vector<KvsChange>& changes,
           const KvsCommitOutput& output) {
    const auto version = kvs_commit(flux, name_space, changes);
    if (!version) return kvs_error("flux_kvs_commit", version.error());
    output.print(*version);
    return 0;
}

/// Whether `key` may be unlinked: there, and no directory with entries unless `recursive`.
Result<void> check_unlink(Handle& flux, const std::string& name_space, const std::string& key,
                          bool recursive) {
    SLUICE_TRY(
        const TreeObject object,
        kvs_lookup(flux, {.name_space = name_space, .key = key, .flags = kvs_flag::treeobj}));
    if (!object.is_directory() || recursive) return {};
    SLUICE_TRY(
        const TreeObject dir,
        kvs_lookup(flux, {.name_space = name_space, .key = key, .flags = kvs_flag::readdir}));
    if (!dir.entries.empty()) return Error{ENOTEMPTY};
    return {};
}

struct CopyPlaces {
    std::optional<std::string> source, destination;
};

Result<void> copy(Handle& flux, const CopyPlaces& places, const std::string& from,
                  const std::string& to) {
    SLUICE_TRY(TreeObject object, kvs_lookup(flux, {.name_space = kvs_namespace(places.source),
                                                    .key = from,
                                                    .flags = kvs_flag::treeobj}));
    SLUICE_TRY(const KvsVersion version, kvs_commit(flux, kvs_namespace(places.destination),
                                                    {{.key = to, .object = std::move(object)}}));
    return {};
}

int copy_command(int argc, char** argv, const char* name, bool move) {
    CopyPlaces places;
    Cli cli(name, CliStyle::c_tool, "[OPTIONS] source destination",
            move ? "Move a key." : "Copy a key.");
    cli.option("-S,--src-namespace=NAME", places.source, "Namespace of the source");
    cli.option("-D,--dst-namespace=NAME", places.destination, "Namespace of the destination");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("give a source and a destination");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const char* step = move ? "flux_kvs_move" : "flux_kvs_copy";
    if (const auto done = copy(*flux, places, cli.words()[0], cli.words()[1]); !done)
        return kvs_error(step, done.error());
    if (!move) return 0;
    const auto removed =
        kvs_commit(*flux, kvs_namespace(places.source), {{.key = cli.words()[0], .object = {}}});
    return removed ? 0 : kvs_error(step, removed.error());
}

}  // namespace

int cmd_kvs_copy(int argc, char** argv) {
    return copy_command(argc, argv, "flux-kvs copy", false);
}
int cmd_kvs_move(int argc, char** argv) {
    return copy_command(argc, argv, "flux-kvs move", true);
}

int cmd_kvs_unlink(int argc, char** argv) {
    std::optional<std::string> name_space;
    KvsCommitOutput output;
    bool recursive = false, force = false;
    Cli cli("flux-kvs unlink", CliStyle::c_tool, "[OPTIONS] key...", "Remove keys.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace of the keys");
    output.declare(cli);
    cli.flag("-R,--recursive", recursive, "Remove directories with what is in them");
    cli.flag("-f,--force", force, "Ignore keys that are not there");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one key");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const std::string where = kvs_namespace(name_space);
    std::vector<KvsChange> changes;
    for (const std::string& key : cli.words()) {
        const auto allowed = check_unlink(*flux, where, key, recursive);
        if (!allowed && force && allowed.error().errnum() == ENOENT) continue;
        if (!allowed) return kvs_error(fmt::format("cannot unlink '{}'", key), allowed.error());
        changes.push_back({.key = key, .object = {}});
    }
    return commit(*flux, where, changes, output);
}

int cmd_kvs_link(int argc, char** argv) {
    std::optional<std::string> name_space;
    KvsCommitOutput output;
    std::string target_namespace;
    Cli cli("flux-kvs link", CliStyle::c_tool, "[OPTIONS] target linkname",
            "Make a symbolic link.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace of the link");
    cli.option("-T,--target-namespace=NAME", target_namespace, "Namespace of the target");
    output.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("give a target and a link name");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    TreeObject link{.kind = TreeObject::Kind::symlink, .target = cli.words()[0]};
    link.target_namespace = target_namespace;
    return commit(*flux, kvs_namespace(name_space),
                  {{.key = cli.words()[1], .object = std::move(link)}}, output);
}

int cmd_kvs_readlink(int argc, char** argv) {
    std::optional<std::string> name_space;
    std::string at;
    bool namespace_only = false, key_only = false;
    Cli cli("flux-kvs readlink", CliStyle::c_tool, "[OPTIONS] key...",
            "Print the targets of symbolic links.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace of the keys");
    cli.option("-a,--at=TREEOBJ", at, "Look under this root");
    cli.flag("-o,--namespace-only", namespace_only, "Print only the target's namespace");
    cli.flag("-k,--key-only", key_only, "Print only the target's key");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one key");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    for (const std::string& key : cli.words()) {
        const auto link = kvs_lookup(*flux, {.name_space = kvs_namespace(name_space),
                                             .key = key,
                                             .flags = kvs_flag::readlink,
                                             .at = at});
        if (!link) return kvs_error(key, link.error());
        if (namespace_only)
            fmt::print("{}\n", link->target_namespace.empty() ? "<none>" : link->target_namespace);
        else if (key_only || link->target_namespace.empty())
            fmt::print("{}\n", link->target);
        else
            fmt::print("{}::{}\n", link->target_namespace, link->target);
    }
    return 0;
}

int cmd_kvs_mkdir(int argc, char** argv) {
    std::optional<std::string> name_space;
    KvsCommitOutput output;
    Cli cli("flux-kvs mkdir", CliStyle::c_tool, "[OPTIONS] key...", "Make directories.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace of the keys");
    output.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one key");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    std::vector<KvsChange> changes;
    for (const std::string& key : cli.words())
        changes.push_back({.key = key, .object = TreeObject::make_dir()});
    return commit(*flux, kvs_namespace(name_space), changes, output);
}

}  // namespace sluice
