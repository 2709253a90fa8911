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
            return "07;31";
        case LogLevel::crit:
            return "01;31";
        case LogLevel::err:
            return "31";
        case LogLevel::warning:
            return "01";
        case LogLevel::notice:
        case LogLevel::info:
            return "";
        case LogLevel::debug:
            return "34";
    }
    return "";
}

/// With the offset of the local time zone, where that is not UTC.
std::string local_timestamp(const std::string& utc, double seconds) {
    const std::time_t time = static_cast<std::time_t>(seconds);
    std::tm local{};
    ::localtime_r(&time, &local);
    const std::size_t point = utc.find('.');
    if (local.tm_gmtoff == 0 || point == std::string::npos) return utc;
    char text[32], offset[8];
    std::strftime(text, sizeof text, "%Y-%m-%dT%T", &local);
    std::strftime(offset, sizeof offset, "%z", &local);
    const std::string_view zone = offset;
    return fmt::format("{}{}{}:{}", text, utc.substr(point, utc.size() - point - 1),
                       zone.substr(0, 3), zone.substr(3));
}

}  // namespace

std::string LogText::stamp(const LogLine& line) {
    const auto seconds = parse_log_timestamp(line.timestamp);
    if (!seconds) return line.timestamp;
    if (!options_.human) return local_timestamp(line.timestamp, *seconds);
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
