#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/option_listing.hpp"

namespace sluice {
namespace {

void print_list(std::string_view program, std::span<const Command> table, std::FILE* to) {
    fmt::print(to, "Usage: {} [OPTIONS] COMMAND ARGS\nCommands from {}:\n", program, program);
    for (const Command& command : table)
        if (!command.summary.empty())
            fmt::print(to, "   {:<18} {}\n", command.name, command.summary);
}

}  // namespace

const Command* find_command(std::span<const Command> table, std::string_view name) {
    const auto found = std::ranges::find(table, name, &Command::name);
    return found == table.end() ? nullptr : &*found;
}

int run_subcommand(std::string_view program, std::span<const Command> table, int argc,
                   char** argv) {
    if (Cli::listing()) {
        list_table(table);
        return 0;
    }
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word == "-h" || word == "--help") {
        print_list(program, table, stdout);
        return 0;
    }
    if (const Command* command = find_command(table, word))
        return command->function(argc - 1, argv + 1);
    if (word.starts_with('-'))
        fmt::print(stderr, "{}: unrecognized option '{}'\n", program, word);
    else if (word.empty())
        fmt::print(stderr, "{}: missing subcommand\n", program);
    else
        fmt::print(stderr, "{}: Unknown subcommand: {}\n", program, word);
    print_list(program, table, stderr);
    return 1;
}

}  // namespace sluice
