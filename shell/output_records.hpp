// RFC 24 - records of the output and input eventlogs, and the cutting of task output into records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/rfc/eventlog.hpp"

namespace sluice::shell {

/// `count` streams of each kind: stdout and stderr.
Event output_header(double now, std::uint32_t count);
Event input_header(double now);
/// `rank` is a task's number, or "all" (stdin). Data that is not UTF-8 becomes base64.
Event data_record(double now, std::string_view stream, std::string_view rank,
                  std::string_view data);
Event eof_record(double now, std::string_view stream, std::string_view rank);
/// `ranks` as an idset, in brackets when more than one.
Event redirect_record(double now, std::string_view stream, std::string_view ranks,
                      std::string_view path);

/// RFC 24 log levels as attach shows them; a notice has no label.
enum class LogLevel {
    fatal = 0,
    error = 3,
    warning = 4,
    notice = 5,
    debug = 6,
    trace = 7
};
struct LogText {
    LogLevel level = LogLevel::notice;
    std::string component;  // may be empty
    std::string message;
    friend bool operator==(const LogText&, const LogText&) = default;
};
Event log_record(double now, std::uint32_t shell_rank, const LogText& text);
/// The same as a line of the job's error file: "flux-shell[0]: ERROR: component: message\n".
std::string log_line(std::uint32_t shell_rank, const LogText& text);

/// The bytes of a stdin request's payload {stream, rank, data?, encoding?, eof?}.
struct IoData {
    std::string rank;  // idset or "all"
    std::string data;
    bool eof = false;
    friend bool operator==(const IoData&, const IoData&) = default;
};
/// Errors: EPROTO naming the key.
Result<IoData> decode_io(const JsonObject& object);

/// The first line of `data`, its newline included, which is taken off `data` (not empty).
std::string_view take_line(std::string_view& data);

bool is_utf8_text(std::string_view bytes);  // valid UTF-8 without NUL
/// `text` as valid UTF-8 for people: bytes that are none, and control bytes, become "\\xNN".
std::string readable_text(std::string_view text);
/// Size of the text without a character that is cut at its end.
std::size_t whole_characters(std::string_view text);

/// Holds back what should not be a record of its own yet: a partial line (when line buffered), or
/// the beginning of a UTF-8 character.
class OutputCutter {
  public:
    explicit OutputCutter(bool line_buffered) : line_buffered_(line_buffered) {}
    /// Bytes that may be recorded now; may be empty. A line longer than `line_bytes_max` comes in
    /// pieces.
    std::string append(std::string_view bytes);
    /// The rest, at end of file.
    std::string finish() { return std::exchange(held_, {}); }

    static constexpr std::size_t line_bytes_max = std::size_t{1} << 20;

  private:
    bool line_buffered_;
    std::string held_;
};

}  // namespace sluice::shell
