// flux simulate: a program of its own.
#include "cmd/commands.hpp"
#include "cmd/option_listing.hpp"

namespace sluice {

int cmd_simulate(int argc, char** argv) {
    return run_helper_command("flux-simulate", argc, argv);
}

}  // namespace sluice
