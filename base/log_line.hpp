// One line of the log: "<pri>1 TIMESTAMP RANK APPNAME PROCID - - text" (RFC 5424 form). In Flux the
// number in <> is severity * 8 and the host name is the broker rank. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

enum class LogLevel : int { emerg, alert, crit, err, warning, notice, info, debug };

/// "err", "warning", … as `flux dmesg` prints.
std::string_view log_level_name(LogLevel level);
/// From a name or a digit 0 to 7. Errors: EINVAL.
Result<LogLevel> parse_log_level(std::string_view text);

struct LogLine {
    LogLevel level = LogLevel::info;
    std::string timestamp;  // 2026-11-30T11:50:45.835115Z
    std::uint32_t rank = 0;
    std::string appname = "-";
    std::string procid = "-";
    std::string text;
    friend bool operator==(const LogLine&, const LogLine&) = default;
};

/// The wire form; newlines at the end of the text are dropped.
std::string format_log_line(const LogLine& line);
/// Errors: EPROTO when it is not of that form.
Result<LogLine> parse_log_line(std::string_view text);
/// "broker.err[0]: text", what stderr and the log file show.
std::string show_log_line(const LogLine& line);
/// Seconds since the epoch as a log timestamp, UTC with microseconds.
std::string log_timestamp(double seconds);
/// Seconds since the epoch of a log timestamp. Errors: EINVAL.
Result<double> parse_log_timestamp(std::string_view text);

}  // namespace sluice
