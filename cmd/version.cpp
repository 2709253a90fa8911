// flux version: of the commands, and of the broker when there is one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/rpc/handle.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_version(int argc, char** argv) {
    Cli cli("flux-version", CliStyle::c_tool, "[OPTIONS...]",
            "Display the versions of the commands and of the broker.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    fmt::print("commands:    \t\t{}\n", SLUICE_VERSION);
    fmt::print("libflux-core:\t\t{}\n", SLUICE_VERSION);
    if (const char* uri = std::getenv("FLUX_URI")) {
        if (Result<Handle> flux = Handle::open()) {
            const Result<std::string> version = flux->attr("version");
            fmt::print("broker:  \t\t{}\n", version ? *version : version.error().text());
        }
        fmt::print("FLUX_URI:\t\t{}\n", uri);
    }
    fmt::print("build-options:\t\t+hwloc==2+zmq==4\n");
    return 0;
}

}  // namespace sluice
