// flux multi-prog: runs the command that a file gives to this task's rank. Lines: "RANKS COMMAND…",
// "*" for the ranks that no other line names; %t is the rank, %o its place among the line's ranks.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/rfc/idset.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/load_file.hpp"
#include "cmd/options/shell_words.hpp"

namespace sluice {
namespace {

struct ProgramLine {
    bool all = false;
    Idset ranks;
    std::vector<std::string> command;
};

Result<std::vector<ProgramLine>> parse_programs(std::string_view text, const std::string& path) {
    std::vector<ProgramLine> lines;
    int number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        Result<std::vector<std::string>> words = split_shell_words(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string where = fmt::format("{}: line {}", path, number);
        if (!words) return words.error().in(where);
        if (words->empty()) continue;
        ProgramLine line{.all = words->front() == "*"};
        if (!line.all) {
            Result<Idset> ranks = Idset::parse(words->front());
            if (!ranks) return fail(EINVAL, "{}: invalid idset: {}", where, words->front());
            line.ranks = *std::move(ranks);
        }
        if (words->size() < 2)
            return fail(EINVAL, "{}: a command is needed after the ranks", where);
        line.command.assign(words->begin() + 1, words->end());
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string substitute(std::string_view word, Idset::Id rank, std::size_t offset) {
    std::string out;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char next = i + 1 < word.size() ? word[i + 1] : 0;
        if (word[i] != '%' || (next != 't' && next != 'o' && next != '%')) {
            out += word[i];
            continue;
        }
        if (next == 't') out += std::to_string(rank);
        if (next == 'o') out += std::to_string(offset);
        if (next == '%') out += '%';
        ++i;
    }
    return out;
}

/// Errors: ENOENT for a rank without a line.
Result<std::vector<std::string>> command_of(const std::vector<ProgramLine>& lines, Idset::Id rank) {
    const auto named = std::ranges::find_if(
        lines, [&](const ProgramLine& line) { return line.ranks.contains(rank); });
    const auto line =
        named != lines.end() ? named : std::ranges::find_if(lines, &ProgramLine::all);
    if (line == lines.end()) return fail(ENOENT, "No matching line for rank {}", rank);
    std::size_t offset = rank;
    if (!line->all)
        for (offset = 0; line->ranks.nth(offset) != rank;) ++offset;
    std::vector<std::string> command;
    for (const std::string& word : line->command)
        command.push_back(substitute(word, rank, offset));
    return command;
}

int print_commands(const Cli& cli, const std::vector<ProgramLine>& lines, const Idset& ranks) {
    for (const Idset::Id rank : ranks) {
        const auto command = command_of(lines, rank);
        if (!command) return cli.error(command.error().text());
        std::string text;
        for (const std::string& word : *command) text += " " + quote_shell_word(word);
        fmt::print("{}:{}\n", rank, text);
    }
    return 0;
}

int run_command(const Cli& cli, const std::vector<ProgramLine>& lines) {
    const char* text = std::getenv("FLUX_TASK_RANK");
    Idset::Id rank = 0;
    if (!text || std::from_chars(text, text + std::strlen(text), rank).ec != std::errc{})
        return cli.error("FLUX_TASK_RANK is not set; run this as the command of a job");
    Result<std::vector<std::string>> command = command_of(lines, rank);
    if (!command) return cli.error(command.error().text());
    std::vector<char*> argv;
    for (std::string& word : *command) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execvp(argv[0], argv.data());
    const int cause = errno;
    cli.error(fmt::format("{}: {}", argv[0], std::strerror(cause)));
    return cause == ENOENT ? 127 : 126;
}

}  // namespace

int cmd_multi_prog(int argc, char** argv) {
    std::string ranks_text;
    bool dry_run = false;
    Cli cli("flux-multi-prog", CliStyle::python_tool, "[OPTIONS] CONFIG",
            "Run the program that CONFIG gives to this task.");
    cli.option(
        "-n,--dry-run=RANKS",
        [&](std::optional<std::string> value) {
            dry_run = true;
            ranks_text = value.value_or("");
            return Result<void>{};
        },
        "Print the commands of these ranks and run nothing");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("exactly one CONFIG is needed");
    const std::string& path = cli.words()[0];
    const Result<LoadedFile> file = load_file(path);
    if (!file) return cli.error(file.error().text());
    const auto lines = parse_programs(file->content, path);
    if (!lines) return cli.error(lines.error().text());
    if (!dry_run) return run_command(cli, *lines);
    const Result<Idset> ranks = Idset::parse(ranks_text);
    if (!ranks) return cli.error(ranks.error().in("--dry-run").text());
    return print_commands(cli, *lines, *ranks);
}

}  // namespace sluice
