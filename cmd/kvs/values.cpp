// flux kvs get and put.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

struct GetOptions {
    std::optional<std::string> name_space;
    std::string at;
    bool raw = false, treeobj = false, label = false, waitcreate = false, watch = false;
    bool unique = false, append = false, full = false, stream = false;
    std::int64_t count = 0;
};

std::int64_t lookup_flags(const GetOptions& options) {
    std::int64_t flags = 0;
    if (options.treeobj) flags |= kvs_flag::treeobj;
    if (options.waitcreate) flags |= kvs_flag::waitcreate;
    if (options.watch) flags |= kvs_flag::watch;
    if (options.unique) flags |= kvs_flag::watch_uniq;
    if (options.append) flags |= kvs_flag::watch_append;
    if (options.full) flags |= kvs_flag::watch_full;
    if (options.stream) flags |= kvs_flag::stream;
    return flags;
}

void print_value(const GetOptions& options, const std::string& key, const TreeObject& object) {
    if (options.append && object.value.empty()) return;  // nothing was appended
    if (options.label) fmt::print("{}=", key);
    if (options.treeobj) {
        fmt::print("{}\n", dump_json(encode_treeobj(object)));
    } else {
        write_stdout(object.value);
        if (!options.raw && !options.stream) write_stdout("\n");
    }
    std::fflush(stdout);
}

Result<void> get(Handle& flux, const GetOptions& options, const std::string& key) {
    const KvsQuery query{.name_space = kvs_namespace(options.name_space),
                         .key = key,
                         .flags = lookup_flags(options),
                         .at = options.at};
    if (!options.watch && !options.waitcreate && !options.stream) {
        SLUICE_TRY(const TreeObject object, kvs_lookup(flux, query));
        print_value(options, key, object);
        return {};
    }
    std::int64_t seen = 0;
    SLUICE_CHECK(kvs_watch(flux, query, std::nullopt, [&](const TreeObject& object) {
        print_value(options, key, object);
        ++seen;
        return options.count > 0 && seen >= options.count ? KvsWatchStep::stop
                                                          : KvsWatchStep::go_on;
    }));
    if (options.stream && !options.raw) write_stdout("\n");
    return {};
}

struct PutOptions {
    std::optional<std::string> name_space;
    KvsCommitOutput output;
    bool raw = false, treeobj = false, no_merge = false, append = false, sync = false;
};

/// "K=V" as a change; a value "-" is standard input with --raw and --treeobj.
Result<KvsChange> parse_change(const std::string& word, const PutOptions& options) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
        return fail(EINVAL, "{}: you must specify a value as key=value", word);
    KvsChange change{.key = word.substr(0, equals), .object = TreeObject{}};
    if (split_key(change.key).empty()) return fail(EINVAL, "{}: the key is empty", word);
    std::string value = word.substr(equals + 1);
    if (value == "-" && (options.raw || options.treeobj)) value = read_stdin();
    if (options.treeobj) {
        const auto json = parse_json_object(value);
        if (!json)
            return fail(EINVAL, "{}: not a tree object: {}", change.key, json.error().text());
        SLUICE_TRY(change.object, decode_treeobj(*json));
    } else {
        change.object = TreeObject::make_val(std::move(value));
    }
    if (options.append) change.flags = kvs_flag::append;
    return change;
}

}  // namespace

int cmd_kvs_get(int argc, char** argv) {
    GetOptions options;
    Cli cli("flux-kvs get", CliStyle::c_tool, "[OPTIONS] key...", "Print values.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the keys");
    cli.flag("-r,--raw", options.raw, "No newline after the value");
    cli.flag("-t,--treeobj", options.treeobj, "Print tree objects");
    cli.option("-a,--at=TREEOBJ", options.at, "Look under this root");
    cli.flag("-l,--label", options.label, "Print key= before the value");
    cli.flag("-W,--waitcreate", options.waitcreate, "Wait until the key is there");
    cli.flag("-w,--watch", options.watch, "Print the value each time it changes");
    cli.flag("-u,--uniq", options.unique, "With --watch: only when it is another value");
    cli.flag("-A,--append", options.append, "With --watch: only what was appended");
    cli.flag("-f,--full", options.full, "With --watch: see changes of directories above too");
    cli.option("-c,--count=N", integer_into(options.count), "With --watch: end after N values");
    cli.flag("-S,--stream", options.stream, "Print the value piece by piece");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one key");
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    for (const std::string& key : cli.words())
        if (const auto done = get(*flux, options, key); !done) return kvs_error(key, done.error());
    return 0;
}

int cmd_kvs_put(int argc, char** argv) {
    PutOptions options;
    Cli cli("flux-kvs put", CliStyle::c_tool, "[OPTIONS] key=value...",
            "Store values in one atomic commit.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the keys");
    options.output.declare(cli);
    cli.flag("-r,--raw", options.raw, "The value - is read from standard input");
    cli.flag("-t,--treeobj", options.treeobj, "Values are tree objects");
    cli.flag("-n,--no-merge", options.no_merge, "A commit of its own");
    cli.flag("-A,--append", options.append, "Append to the value that is there");
    cli.flag("-S,--sync", options.sync, "Wait until it is safe in the store");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give at least one key=value");
    std::vector<KvsChange> changes;
    for (const std::string& word : cli.words()) {
        auto change = parse_change(word, options);
        if (!change) return kvs_error(change.error().text());
        changes.push_back(*std::move(change));
    }
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    constexpr std::int64_t no_merge = 1, sync = 4;
    const std::int64_t flags = (options.no_merge ? no_merge : 0) | (options.sync ? sync : 0);
    const auto version = kvs_commit(*flux, kvs_namespace(options.name_space), changes, flags);
    if (!version) return kvs_error("flux_kvs_commit", version.error());
    options.output.print(*version);
    return 0;
}

}  // namespace sluice
