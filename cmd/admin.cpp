// flux admin: what administrators and rc scripts need: the list of commands that an instance runs
// when it ends, and the scripts around jobs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

int cmd_admin_cleanup_push(int argc, char** argv) {
    Cli cli("flux-admin cleanup-push", CliStyle::submission, "[COMMAND...]",
            "Have the instance run COMMAND, or the lines of standard input, when it ends.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    // Each command goes before those that are there: the last line goes first.
    std::vector<std::string> commands;
    if (cli.words().empty()) {
        commands = split_words(read_stdin(), '\n');
        std::ranges::reverse(commands);
    } else {
        commands = {fmt::format("{}", fmt::join(cli.words(), " "))};
    }
    if (commands.empty()) return cli.error("no commands on standard input");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonArray list;
    for (const std::string& command : commands) list.emplace_back(command);
    const auto done =
        flux->call("runat.push", {{"name", "cleanup"}, {"commands", std::move(list)}});
    return done ? 0 : cli.error(done.error().text());
}

/// "▸ prolog: not configured", or its command, one line below.
std::string script_text(const JsonObject& config, std::string_view script, bool color) {
    const Json* table = find_path(config, fmt::format("job-manager.{}", script));
    const std::string head =
        color ? fmt::format("\033[01;34m▸ {}\033[0m: ", script) : fmt::format("▸ {}: ", script);
    if (!table || !table->is_object()) return head + "not configured\n\n";
    const Json* command = table->get_object().if_contains("command");
    std::string text = head + "configured\n";
    if (command) text += "    command = " + dump_json(*command) + "\n";
    for (const auto& member : table->get_object())
        if (member.key() != "command")
            text += fmt::format("    {} = {}\n", std::string_view{member.key()},
                                dump_json(member.value()));
    return text + "\n";
}

int cmd_admin_system_scripts(int argc, char** argv) {
    Cli cli("flux-admin system-scripts", style, "[-h] [-v] [--color[=WHEN]]",
            "Show the scripts that run before and after jobs.");
    bool verbose = false;
    ColorWhen color = ColorWhen::automatic;
    cli.flag("-v,--verbose", verbose, "show scripts even when they are not configured");
    cli.option("--color[=WHEN]", color_into(color), "never, always or auto");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto config = flux->call("config.get");
    if (!config) return cli.error(config.error().text());
    for (const char* script : {"prolog", "epilog", "housekeeping"})
        write_stdout(script_text(*config, script, use_color(color)));
    return 0;
}

}  // namespace

int cmd_admin(int argc, char** argv) {
    static constexpr Command table[] = {
        {"cleanup-push", cmd_admin_cleanup_push, "Have a command run when the instance ends"},
        {"system-scripts", cmd_admin_system_scripts, "Show the scripts around jobs"},
    };
    const int code = run_subcommand("flux-admin", table, argc, argv);
    const bool known = argc > 1 && find_command(table, argv[1]);
    return !known && code == 1 ? 2 : code;  // misuse of tools of this kind
}

}  // namespace sluice
