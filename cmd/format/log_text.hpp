// Log lines as `flux dmesg` shows them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log_line.hpp"

namespace sluice {

class LogText {
  public:
    struct Options {
        bool human = false;  // short time stamps, as dmesg --human
        bool delta = false;  // with human: the time since the line before
        bool color = false;
    };
    explicit LogText(Options options) : options_(options) {}
    /// The text of the next line, without newline; a line that is not of the log's form stays.
    std::string next(std::string_view line);

  private:
    std::string stamp(const LogLine& line);

    Options options_;
    std::optional<double> shown_, previous_;  // time of the last full stamp, of the last line
};

}  // namespace sluice
