// flux top: a program of its own.
#include "cmd/commands.hpp"
#include "cmd/option_listing.hpp"

namespace sluice {

int cmd_top(int argc, char** argv) { return run_helper_command("flux-top", argc, argv); }

}  // namespace sluice
