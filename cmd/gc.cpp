// flux gc: delete the blobs of the content store that no key refers to, while the instance runs.
#include <fmt/format.h>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/dump.hpp"
#include "cmd/instance.hpp"

namespace sluice {

int cmd_gc(int argc, char** argv) {
    int verbose = 0;
    bool no_cache = false;
    std::int64_t requests_max = 2;
    Cli cli{"flux-gc", CliStyle::c_tool, "[OPTIONS]",
            "Delete blobs that nothing refers to from the content store."};
    cli.count("-v,--verbose", verbose, "Show what is done");
    // The broker itself walks its store: both have nothing left to change.
    cli.flag("--no-cache", no_cache, "Accepted: the cache of blobs is not used");
    cli.option("--maxreqs=N", integer_into(requests_max), "Accepted: no requests are made");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    if (requests_max <= 0) return cli.error("invalid value for maxreqs");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto reply = flux->call("content-backing.gc", {}, {.nodeid = 0});
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    const auto epoch = in.integer("epoch"), high_water = in.integer("high_water");
    const auto checkpoints = in.integer("checkpoints"), namespaces = in.integer("namespaces");
    const auto marked = in.integer("marked"), reclaimed = in.integer("reclaimed");
    if (!in) return cli.error(in.error().text());
    const auto tell = [](const std::string& text) { fmt::print(stderr, "flux-gc: {}\n", text); };
    if (verbose > 0) {
        tell(fmt::format("froze epoch at {}, high-water rowid {}", epoch, high_water));
        tell(fmt::format("enumerated {} checkpoint roots", checkpoints));
        tell(fmt::format("enumerated {} private namespace roots", namespaces));
        tell("enumerated live primary root");
    }
    tell(fmt::format("gc complete: marked {}, reclaimed {} blobs", marked, reclaimed));
    return 0;
}

}  // namespace sluice
