#include "cmd/option_listing.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/paths.hpp"
#include "cmd/cli.hpp"

namespace sluice {
namespace {

const char* style_word(CliStyle style) {
    switch (style) {
        case CliStyle::c_tool:
            return "c";
        case CliStyle::python_tool:
            return "python";
        case CliStyle::submission:
            return "submission";
    }
    return "";
}

const char* value_word(Cli::Option::Value value) {
    switch (value) {
        case Cli::Option::Value::none:
            return "none";
        case Cli::Option::Value::required:
            return "required";
        case Cli::Option::Value::optional:
            return "optional";
    }
    return "";
}

void print_table(const Cli& cli) {
    fmt::print("command\t{}\t{}\t{}\t{}\n", cli.name(), style_word(cli.style()), cli.usage(),
               cli.summary());
    for (const Cli::Option& option : cli.options())
        fmt::print("option\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", cli.name(),
                   option.short_name ? std::string{'-', option.short_name} : "",
                   option.long_name.empty() ? "" : "--" + option.long_name,
                   value_word(option.value), option.metavar, fmt::join(option.aliases, ","),
                   option.text);
}

/// The program prints its own tables on our standard output.
int list_helper(const std::string& program, char* word) {
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(program.c_str(), program.c_str(), "--list-options", word, nullptr);
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0 ? 0 : 1;
}

}  // namespace

void list_table(std::span<const Command> table) {
    static std::string path;  // the words before this table
    const std::string before = path;
    for (const Command& command : table) {
        std::string word{command.name};
        path = before + word;
        fmt::print("word\t{}\t{}\n", path, command.summary);
        path += ' ';
        char* argv[] = {word.data(), nullptr};
        command.function(1, argv);
    }
    path = before;
}

void print_option_table(const Command& command) {
    Cli::list_to(print_table);
    std::string word{command.name};
    char* argv[] = {word.data(), nullptr};
    command.function(1, argv);
    Cli::list_to(nullptr);
}

void print_option_tables(std::span<const Command> table) {
    Cli::list_to(print_table);
    list_table(table);
    Cli::list_to(nullptr);
}

int run_helper_command(const char* program, int argc, char** argv) {
    std::string path = helper_program(program);
    if (Cli::listing()) return list_helper(path, argv[0]);
    std::vector<char*> words{path.data()};
    words.insert(words.end(), argv, argv + argc);
    words.push_back(nullptr);
    ::execv(path.c_str(), words.data());
    fmt::print(stderr, "flux-{}: {}: {}; it belongs beside flux\n", argv[0], path,
               std::strerror(errno));
    return 1;
}

}  // namespace sluice
