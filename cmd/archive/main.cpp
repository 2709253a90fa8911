// flux-archive: `flux dump` and `flux restore` run here.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "cmd/archive/commands.hpp"
#include "cmd/commands.hpp"
#include "cmd/option_listing.hpp"

int main(int argc, char** argv) {
    static constexpr sluice::Command commands[] = {{"dump", sluice::run_dump, ""},
                                                   {"restore", sluice::run_restore, ""}};
    const std::string_view first = argc > 1 ? argv[1] : "", second = argc > 2 ? argv[2] : "";
    const bool listing = first == "--list-options";
    const sluice::Command* command = sluice::find_command(commands, listing ? second : first);
    if (!command) {
        fmt::print(stderr, "usage: flux-archive dump|restore ...; use flux dump or restore\n");
        return 1;
    }
    if (!listing) return command->function(argc - 1, argv + 1);
    sluice::print_option_table(*command);
    return 0;
}
