// flux shutdown: stop an instance from its rank 0, and show its log meanwhile.
#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/uri_resolver.hpp"

namespace sluice {
namespace {

struct ShutdownOptions {
    bool background = false, quiet = false, yes = false, no = false, skip_gc = false, gc = false;
    std::optional<std::string> dump;
    int verbose = 0;
};

Result<bool> ask_yes_or_no(const std::string& question) {
    for (;;) {
        fmt::print("{} [Y/n]? ", question);
        std::fflush(stdout);
        std::string answer;
        if (!std::getline(std::cin, answer)) return fail(EIO, "error retrieving user input");
        if (answer.empty() || answer[0] == 'y' || answer[0] == 'Y') return true;
        if (answer[0] == 'n' || answer[0] == 'N') return false;
        fmt::print("Please answer y or n\n");
    }
}

/// Whether the KVS has had more commits than kvs.gc-threshold, and what the user says to that.
Result<bool> wants_collection(Handle& flux, const ShutdownOptions& options) {
    const auto root = flux.call("kvs.getroot", {{"namespace", "primary"}});
    if (!root && root.error().errnum() != ENOSYS)
        return fail(EIO, "Error fetching KVS version: {}", root.error().text());
    const auto config = flux.call("config.get");
    if (!config) return fail(EIO, "Error fetching flux config: {}", config.error().text());
    const Json* threshold = find_path(*config, "kvs.gc-threshold");
    const std::int64_t limit = threshold ? as_integer(*threshold).value_or(0) : 0;
    const Json* version = root ? root->if_contains("rootseq") : nullptr;
    if (limit <= 0 || !version || as_integer(*version).value_or(0) <= limit) return false;
    if (options.yes || options.no || options.skip_gc) return options.yes;
    if (!::isatty(STDIN_FILENO)) return fail(EINVAL, "gc threshold exceeded, specify -y or -n");
    return ask_yes_or_no("gc threshold exceeded, do you want to perform garbage collection");
}

Result<void> set_dump(Handle& flux, const std::string& path) {
    const auto set = flux.call("attr.set", {{"name", "content.dump"}, {"value", path}});
    if (!set) return fail(set.error().errnum(), "setattr content.dump: {}", set.error().text());
    return {};
}

/// Settles attribute content.dump, which the broker looks at when it ends.
Result<void> plan_dump(Handle& flux, const ShutdownOptions& options) {
    if (options.gc && (options.skip_gc || options.dump))
        return fail(EINVAL, "--gc is incompatible with --skip-gc or --dump");
    std::string dump = flux.attr("content.dump").value_or("");
    if (options.skip_gc) {
        if (dump.empty()) return {};
        const auto removed = flux.call("attr.rm", {{"name", "content.dump"}});
        if (!removed) return fail(EIO, "rmattr content.dump: {}", removed.error().text());
        return {};
    }
    bool collect = options.gc;
    if (!options.dump && !collect) {
        SLUICE_TRY(collect, wants_collection(flux, options));
    }
    const std::string wanted = options.dump ? *options.dump : collect ? "auto" : dump;
    if (wanted.empty()) return {};
    if (wanted != dump) SLUICE_CHECK(set_dump(flux, wanted));
    std::string shown = wanted;
    if (wanted == "auto") {
        const bool stays = flux.attr("statedir-cleanup").value_or("0") == "0";
        shown = (stays ? flux.attr("statedir").value_or(".") : ".") + "/dump/";
    }
    fmt::print(stderr, "flux-shutdown: shutdown will dump KVS to {} (this may take some time)\n",
               shown);
    return {};
}

Result<void> shut_down(Handle& flux, const ShutdownOptions& options) {
    constexpr int level_default = 6;
    const JsonObject request{{"loglevel", options.verbose ? level_default + 1 : level_default}};
    if (options.background) {
        SLUICE_TRY(const JsonObject reply, flux.call("shutdown.start", request));
        return {};
    }
    const auto done = for_each_response(flux, "shutdown.start", request, [&](JsonObject item) {
        JsonReader in{item};
        if (!options.quiet) fmt::print("{}", in.string_or("log", ""));
        std::fflush(stdout);
    });
    // The broker may be gone before the stream's end has left it.
    if (!done && done.error().errnum() != ECONNRESET) return done.error();
    return {};
}

}  // namespace

int cmd_shutdown(int argc, char** argv) {
    ShutdownOptions options;
    Cli cli("flux-shutdown", CliStyle::c_tool, "[OPTIONS] [TARGET]", "Shut down an instance.");
    cli.flag("--background", options.background, "Do not wait for the end");
    cli.flag("--quiet", options.quiet, "Show only errors");
    cli.option(
        "-v,--verbose[=LEVEL]",
        [&](std::optional<std::string>) { return ++options.verbose, Result<void>{}; },
        "Show more of the log");
    cli.flag("--skip-gc", options.skip_gc,
             "Skip KVS garbage collection this time, if already enabled");
    cli.flag("--gc", options.gc, "Garbage collect KVS (short for --dump=auto)");
    cli.option("--dump=PATH", options.dump, "Dump KVS content to an archive at the end");
    cli.flag("-y,--yes", options.yes, "Answer yes to all questions");
    cli.flag("-n,--no", options.no, "Answer no to all questions");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one target");
    std::string uri;
    if (!cli.words().empty()) {
        const std::string& target = cli.words()[0];
        auto resolved = resolve_target_uri(target, UriForm::reachable);
        if (!resolved) {
            fmt::print(stderr, "flux-uri: ERROR: {}\n", resolved.error().text());
            return cli.error(fmt::format("failed to resolve target {} to a Flux URI", target));
        }
        uri = *std::move(resolved);
    }
    auto flux = Handle::open(uri);
    if (!flux) return cli.error("error connecting to Flux: " + errno_text(flux.error()));
    if (const auto planned = plan_dump(*flux, options); !planned)
        return cli.error(planned.error().text());
    const auto done = shut_down(*flux, options);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
