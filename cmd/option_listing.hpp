// What the option tables of all commands hold, as rows of text: the source of the completion, of
// the man pages and of the table of tested options. `flux --list-options` prints them.
#pragma once

#include <span>

#include "cmd/commands.hpp"

namespace sluice {

/// Prints, with tabs between the fields:
///     word NAME SUMMARY                        without SUMMARY it is hidden
///     command NAME STYLE USAGE SUMMARY         NAME as in messages: "flux-job attach"
///     option NAME -x --long VALUE METAVAR ALIASES TEXT
/// STYLE is c, python or submission; VALUE none, required or optional; without TEXT it is hidden.
void print_option_tables(std::span<const Command> table);
/// The rows of one command without its "word": what a helper program prints for `flux`.
void print_option_table(const Command& command);
/// The part of the rows that a table of sub-commands gives, while listing.
void list_table(std::span<const Command> table);

/// Runs a command that is a program of its own, beside `flux` or in its lib folder; while listing,
/// lets it print its tables.
int run_helper_command(const char* program, int argc, char** argv);

}  // namespace sluice
