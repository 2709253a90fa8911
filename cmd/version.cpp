// flux version: of the commands, and of the broker when there is one.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/rpc/handle.hpp"
#include "cmd/build_versions.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {
namespace {

std::string build_options() {
    constexpr unsigned hwloc = SLUICE_HWLOC_API_VERSION;  // a byte each
    std::string options;
#ifdef __SANITIZE_ADDRESS__
    options += "+asan";
#endif
#ifdef __SANITIZE_THREAD__
    options += "+tsan";
#endif
    options += fmt::format("+hwloc.api=={}.{}.{}", hwloc >> 16 & 0xff, hwloc >> 8 & 0xff,
                           hwloc & 0xff);
    return options + "+zmq==" SLUICE_ZMQ_VERSION;
}

}  // namespace

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
    fmt::print("build-options:\t\t{}\n", build_options());
    return 0;
}

}  // namespace sluice
