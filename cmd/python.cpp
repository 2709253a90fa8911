// flux python: there is no interpreter in this flux, and none is looked for.
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

namespace sluice {

int cmd_python(int, char**) {
    if (Cli::listing()) return 0;
    fmt::print(stderr,
               "flux-python: this flux has no Python bindings; run python3 itself, and flux "
               "commands from it\n");
    return 1;
}

}  // namespace sluice
