// flux shutdown: stop an instance from its rank 0, and show its log meanwhile.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/uri_resolver.hpp"

namespace sluice {
namespace {

struct ShutdownOptions {
    bool background = false, quiet = false, yes = false, no = false, skip_gc = false;
    int verbose = 0;
};

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
    cli.flag("--skip-gc", options.skip_gc, "Leave the store as it is (nothing to collect)");
    cli.flag("-y,--yes", options.yes, "Answer yes to all questions");
    cli.flag("-n,--no", options.no, "Answer no to all questions");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one target");
    std::string uri;
    if (!cli.words().empty()) {
        const std::string& target = cli.words()[0];
        auto resolved = resolve_target_uri(target, UriForm::reachable);
        if (!resolved)
            return cli.error(fmt::format("failed to resolve target {} to a Flux URI", target));
        uri = *std::move(resolved);
    }
    auto flux = Handle::open(uri);
    if (!flux) return cli.error("error connecting to Flux: " + errno_text(flux.error()));
    const auto done = shut_down(*flux, options);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
