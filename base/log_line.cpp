#include "base/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace sluice {
namespace {

constexpr std::array<std::string_view, 8> level_names{"emerg",   "alert",  "crit", "err",
                                                      "warning", "notice", "info", "debug"};
constexpr int priority_step = 8;  // the severity stands where syslog has the facility

template <class T>
bool parse_number(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

std::string_view next_word(std::string_view& text) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    return word;
}

std::string or_dash(std::string_view text) {
    return text.empty() ? "-" : std::string{text};
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
    return level_names[static_cast<std::size_t>(level)];
}

Result<LogLevel> parse_log_level(std::string_view text) {
    const auto found = std::ranges::find(level_names, text);
    if (found != level_names.end()) return static_cast<LogLevel>(found - level_names.begin());
    if (text.size() == 1 && text[0] >= '0' && text[0] <= '7')
        return static_cast<LogLevel>(text[0] - '0');
    return fail(EINVAL,
                "severity '{}' is not 0 to 7 or one of emerg, alert, crit, err, warning, "
                "notice, info, debug",
                text);
}

std::string format_log_line(const LogLine& line) {
    std::string_view text = line.text;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    return fmt::format("<{}>1 {} {} {} {} - - {}", static_cast<int>(line.level) * priority_step,
                       or_dash(line.timestamp), line.rank, or_dash(line.appname),
                       or_dash(line.procid), text);
}

Result<LogLine> parse_log_line(std::string_view text) {
    const Error bad =
        fail(EPROTO, "log line is not of the form '<pri>1 time rank app pid - - text'");
    LogLine line;
    const std::size_t close = text.find('>');
    int priority = 0;
    if (!text.starts_with('<') || close == std::string_view::npos ||
        !parse_number(text.substr(1, close - 1), priority) || priority < 0)
        return bad;
    const int severity = priority / priority_step;
    if (severity >= static_cast<int>(level_names.size())) return bad;
    line.level = static_cast<LogLevel>(severity);
    text.remove_prefix(close + 1);
    if (next_word(text) != "1") return bad;
    line.timestamp = next_word(text);
    if (const std::string_view host = next_word(text); !parse_number(host, line.rank)) return bad;
    line.appname = next_word(text);
    line.procid = next_word(text);
    next_word(text);                          // MSGID
    if (next_word(text).empty()) return bad;  // structured data, "-" in practice
    line.text = text;
    return line;
}

std::string show_log_line(const LogLine& line) {
    return fmt::format("{}.{}[{}]: {}", line.appname, log_level_name(line.level), line.rank,
                       line.text);
}

std::string log_timestamp(double seconds) {
    const std::time_t whole = static_cast<std::time_t>(std::floor(seconds));
    const int micros = static_cast<int>((seconds - std::floor(seconds)) * 1e6);
    std::tm time{};
    ::gmtime_r(&whole, &time);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", time.tm_year + 1900,
                       time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec,
                       micros);
}

Result<double> parse_log_timestamp(std::string_view text) {
    std::tm time{};
    const std::string copy{text};
    const char* rest = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
    if (!rest) return fail(EINVAL, "time stamp '{}' is not like 2026-11-30T11:50:45.835115Z", text);
    double fraction = 0;
    std::string_view tail = rest;
    if (tail.starts_with('.')) {
        const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), fraction);
        if (error != std::errc{}) return fail(EINVAL, "time stamp '{}' has a bad fraction", text);
        tail = tail.substr(end - tail.data());
    }
    return static_cast<double>(::timegm(&time)) + fraction;
}

}  // namespace sluice
