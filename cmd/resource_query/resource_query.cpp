// flux resource-query: a program of its own.
#include "cmd/commands.hpp"
#include "cmd/option_listing.hpp"

namespace sluice {

int cmd_resource_query(int argc, char** argv) {
    return run_helper_command("flux-resource-query", argc, argv);
}

}  // namespace sluice
