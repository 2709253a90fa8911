// RFC 24 - prints the events of a job's output eventlog.
#pragma once

#include <cstdio>
#include <deque>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/rfc/eventlog.hpp"

namespace sluice {

struct OutputOptions {
    bool label = false;               // "RANK: " before each line
    bool places = false;              // FILE:LINE in log messages that tell where they come from
    bool redirects = true;            // tell where output is that is not in the log
    std::optional<std::size_t> tail;  // of what is there only so many lines, printed by end_tail()
    std::FILE* out = stdout;
    std::FILE* err = stderr;
};

class OutputPrinter {
  public:
    explicit OutputPrinter(OutputOptions options) : options_(options) {}

    /// `t0`: time of the job's submit event, for the times before log messages.
    /// Errors: EPROTO for data without header or a malformed event.
    Result<void> print(const Event& event, double t0);
    /// All present events have come: prints the lines kept, and what follows as it comes.
    void end_tail();

  private:
    struct Piece {
        bool to_err;
        std::string text;
    };
    Result<void> print_data(const JsonObject& context);
    void print_redirect(const JsonObject& context);
    void print_log(const JsonObject& context, double seconds);
    void write(bool to_err, std::string_view rank, std::string_view data);
    void emit(bool to_err, std::string_view text);

    OutputOptions options_;
    bool header_seen_ = false;
    std::deque<Piece> kept_;  // at most `tail` lines
};

}  // namespace sluice
