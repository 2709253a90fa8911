// flux resource: its sub-commands.
#include "cmd/commands.hpp"
#include "cmd/resource/commands.hpp"

namespace sluice {
namespace {

constexpr Command resource_commands[] = {
    {"list", cmd_resource_list, "show resources by state"},
    {"info", cmd_resource_info, "count nodes, cores and GPUs"},
    {"R", cmd_resource_R, "print resources as RFC 20 R"},
    {"status", cmd_resource_status, "show the state of the nodes"},
    {"drain", cmd_resource_drain, "drain nodes, or list drained ones"},
    {"undrain", cmd_resource_undrain, "make drained nodes available again"},
    {"eventlog", cmd_resource_eventlog, "show what happened to the resources"},
    {"acquire-mute", cmd_resource_acquire_mute, ""},
    {"reload", cmd_resource_reload, ""},
};

}  // namespace

int cmd_resource(int argc, char** argv) {
    const int code = run_subcommand("flux-resource", resource_commands, argc, argv);
    // Misuse of tools of this kind exits with 2.
    const bool known = argc > 1 && find_command(resource_commands, argv[1]);
    return !known && code == 1 ? 2 : code;
}

}  // namespace sluice
