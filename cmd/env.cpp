// flux env: the environment of the instance, as shell exports, or a command run in it.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cmd/cli.hpp"
#include "cmd/commands.hpp"

extern char** environ;

namespace sluice {
namespace {

constexpr std::string_view exported[] = {
    "FLUX_URI",         "FLUX_EXEC_PATH",     "FLUX_CONNECTOR_PATH",
    "FLUX_MODULE_PATH", "FLUX_RC_EXTRA",      "PATH",
    "LUA_PATH",         "LUA_CPATH",          "MANPATH",
    "PYTHONPATH",       "FLUX_SHELL_RC_PATH", "FLUX_KVS_NAMESPACE",
};

std::string shell_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\' || c == '$' || c == '`') out += '\\';
        out += c;
    }
    return out + '"';
}

void print_exports() {
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        if (equals == std::string_view::npos) continue;
        for (const std::string_view known : exported)
            if (name == known)
                fmt::print("export {}={}\n", name, shell_quoted(text.substr(equals + 1)));
    }
}

}  // namespace

int cmd_env(int argc, char** argv) {
    Cli cli("flux-env", CliStyle::c_tool, "[OPTIONS...] [COMMAND...]",
            "Print the environment of the instance, or run COMMAND in it.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) {
        print_exports();
        return 0;
    }
    std::vector<std::string> words = cli.words();
    std::vector<char*> command;
    for (std::string& word : words) command.push_back(word.data());
    command.push_back(nullptr);
    ::execvp(command[0], command.data());
    const int cause = errno;
    cli.error(fmt::format("{}: {}", words[0], std::strerror(cause)));
    return cause == ENOENT ? 127 : 126;
}

}  // namespace sluice
