#include "cmd/format/log_text.hpp"

#include <fmt/format.h>

#include <ctime>

namespace sluice {
namespace {

constexpr double minute = 60.0;

std::string colored(std::string_view code, std::string_view text) {
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string_view level_color(LogLevel level) {
    switch (level) {
        case LogLevel::emerg:
        case LogLevel::alert:
        case LogLevel::crit:
            return "01;31";
        case LogLevel::err:
            return "31";
        case LogLevel::warning:
            return "33";
        case LogLevel::notice:
            return "01";
        case LogLevel::info:
        case LogLevel::debug:
            return "";
    }
    return "";
}

}  // namespace

std::string LogText::stamp(const LogLine& line) {
    if (!options_.human) return line.timestamp;
    const auto seconds = parse_log_timestamp(line.timestamp);
    if (!seconds) return line.timestamp;
    const bool whole = !shown_ || *seconds - *shown_ >= minute;
    const double since =
        options_.delta && previous_ ? *seconds - *previous_ : *seconds - shown_.value_or(*seconds);
    previous_ = *seconds;
    if (!whole) return fmt::format("[{:>+11.6f}]", since);
    shown_ = *seconds;
    const std::time_t time = static_cast<std::time_t>(*seconds);
    std::tm local{};
    ::localtime_r(&time, &local);
    char text[32];
    std::strftime(text, sizeof text, "[%b%d %H:%M]", &local);
    return text;
}

std::string LogText::next(std::string_view text) {
    const auto line = parse_log_line(text);
    if (!line) return std::string{text};
    const std::string origin =
        fmt::format("{}.{}[{}]", line->appname, log_level_name(line->level), line->rank);
    if (!options_.color) return fmt::format("{} {}: {}", stamp(*line), origin, line->text);
    const std::string_view code = level_color(line->level);
    return fmt::format("{} {}: {}", colored("32", stamp(*line)), colored("33", origin),
                       code.empty() ? line->text : colored(code, line->text));
}

}  // namespace sluice
