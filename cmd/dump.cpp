#include "cmd/dump.hpp"

#include "cmd/option_listing.hpp"

namespace sluice {

int cmd_dump(int argc, char** argv) { return run_helper_command("flux-archive", argc, argv); }
int cmd_restore(int argc, char** argv) { return run_helper_command("flux-archive", argc, argv); }

}  // namespace sluice
