// flux broker: replaces itself by flux-broker.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/paths.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

namespace {

/// The options of flux-broker, which reads them itself (broker/options.cpp).
int list_broker_options(int argc, char** argv) {
    std::string ignored;
    Cli cli("flux-broker", CliStyle::c_tool, "[OPTIONS] [initial-program [args...]]",
            "Start one broker of a Flux instance.");
    cli.option("-v,--verbose[=LEVEL]", ignored, "log more to stderr (1: info, 2: debug)");
    cli.option("-S,--setattr=ATTR=VAL", ignored, "set a broker attribute (may be repeated)");
    cli.option("-c,--config-path=PATH", ignored,
               "configuration: a folder of *.toml, or a .toml or .json file");
    cli.option("--conf=KEY=VAL|TEXT|FILE", ignored, "add to the configuration (may be repeated)");
    return cli.parse(argc, argv).value_or(0);
}

}  // namespace

int cmd_broker(int argc, char** argv) {
    if (Cli::listing()) return list_broker_options(argc, argv);
    const std::string program = helper_program("flux-broker");
    ::execv(program.c_str(), argv);
    fmt::print(stderr, "flux-broker: {}: {}\n", program, std::strerror(errno));
    return 1;
}

}  // namespace sluice
