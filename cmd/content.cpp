// flux content: blobs of the instance's content store, by their hash (RFC 10).
#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "base/rpc/content_client.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/content_checkpoint.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

int report(const std::string& text) {
    fmt::print(stderr, "flux-content: {}\n", text);
    return 1;
}

ContentTier tier_of(bool bypass_cache) {
    return bypass_cache ? ContentTier::backing : ContentTier::cache;
}

int cmd_content_load(int argc, char** argv) {
    bool bypass = false;
    Cli cli("flux-content load", CliStyle::c_tool, "[OPTIONS] [blobref...]",
            "Print blobs; without words, those whose blobrefs are read from standard input.");
    cli.flag("-b,--bypass-cache", bypass, "Ask the backing store");
    if (const auto code = cli.parse(argc, argv)) return *code;
    std::vector<std::string> refs = cli.words();
    if (refs.empty()) {
        std::istringstream input{read_stdin()};
        for (std::string ref; input >> ref;) refs.push_back(ref);
    }
    auto flux = open_builtin();
    if (!flux) return 1;
    for (const std::string& ref : refs) {
        const auto blob = load_blob(*flux, ref, tier_of(bypass));
        if (!blob) return report(fmt::format("content.load: {}", blob.error().text()));
        write_stdout(*blob);
    }
    return 0;
}

int cmd_content_store(int argc, char** argv) {
    bool bypass = false;
    std::int64_t chunk_bytes = 0;
    Cli cli("flux-content store", CliStyle::c_tool, "[OPTIONS]",
            "Store standard input and print its blobref.");
    cli.flag("-b,--bypass-cache", bypass, "Give it to the backing store");
    cli.option("--chunksize=N", integer_into(chunk_bytes), "Cut it into blobs of N bytes");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (chunk_bytes < 0) return report("--chunksize must not be negative");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto algorithm = flux->attr("content.hash");
    if (!algorithm) return report(algorithm.error().text());
    const std::string data = read_stdin();
    const std::size_t step = chunk_bytes ? static_cast<std::size_t>(chunk_bytes) : data.size();
    std::size_t offset = 0;
    do {
        const auto ref = store_blob(*flux, *algorithm, data.substr(offset, step), tier_of(bypass));
        if (!ref) return report(fmt::format("content.store: {}", ref.error().text()));
        fmt::print("{}\n", *ref);
        offset += step;
    } while (offset < data.size());
    return 0;
}

int plain_request(int argc, char** argv, const char* name, const char* topic, const char* summary) {
    Cli cli(name, CliStyle::c_tool, "", summary);
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto reply = flux->call(topic);
    return reply ? 0 : report(fmt::format("{}: {}", topic, reply.error().text()));
}

int cmd_content_flush(int argc, char** argv) {
    return plain_request(argc, argv, "flux-content flush", "content.flush",
                         "Write all blobs to the backing store.");
}

int cmd_content_dropcache(int argc, char** argv) {
    return plain_request(argc, argv, "flux-content dropcache", "content.dropcache",
                         "Forget blobs that the backing store has.");
}

constexpr Command commands[] = {
    {"load", cmd_content_load, "Print blobs"},
    {"store", cmd_content_store, "Store standard input"},
    {"flush", cmd_content_flush, "Write all blobs to the backing store"},
    {"dropcache", cmd_content_dropcache, "Forget blobs that the backing store has"},
    {"checkpoint", cmd_content_checkpoint, "List and change the saved states of the KVS"},
};

}  // namespace

int cmd_content(int argc, char** argv) {
    return run_subcommand("flux-content", commands, argc, argv);
}

}  // namespace sluice
