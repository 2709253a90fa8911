// flux logger: a line into the broker's log, from the words or, line by line, from standard input.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>

#include "base/log_line.hpp"
#include "cmd/cli.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

void append(Handle& flux, LogLine line, std::string text) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    line.timestamp = log_timestamp(std::chrono::duration<double>(now).count());
    line.text = std::move(text);
    Message request = Message::request("log.append");
    request.flags |= message_flag::noresponse;
    request.set_bytes(format_log_line(line));
    flux.send(std::move(request), {});
}

}  // namespace

int cmd_logger(int argc, char** argv) {
    std::string severity = "notice", appname = "logger";
    Cli cli("flux-logger", CliStyle::c_tool, "[--severity SEVERITY] [--appname NAME] message...",
            "Write a message to the log of the broker.");
    cli.option("-s,--severity=LEVEL", severity, "emerg, alert, …, debug or 0 to 7 (notice)");
    cli.option("-n,--appname=NAME", appname, "Name of the program (logger)");
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto level = parse_log_level(severity);
    if (!level) return cli.error(level.error().text());
    auto flux = open_tool(cli.name());
    if (!flux) return 1;
    const auto rank = flux->rank();
    if (!rank) return cli.error(rank.error().text());
    const LogLine line{.level = *level,
                       .rank = *rank,
                       .appname = appname,
                       .procid = fmt::format("{}", ::getpid())};
    if (cli.words().empty()) {
        for (std::string text; std::getline(std::cin, text);) {
            while (text.ends_with('\r')) text.pop_back();
            if (!text.empty()) append(*flux, line, text);
        }
    } else {
        std::string text;
        for (const std::string& word : cli.words()) text += (text.empty() ? "" : " ") + word;
        append(*flux, line, text);
    }
    if (!flux->flush()) return cli.error("the connection to the broker was lost");
    return 0;
}

}  // namespace sluice
