// Messages as `flux module trace` and `flux overlay trace` print them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// The typemask of "request,event"; all types for an empty text.
/// Errors: EINVAL "valid types: request, response, event, control".
Result<int> parse_message_types(std::string_view text);

class TraceText {
  public:
    struct Options {
        bool human = false, delta = false, color = false, full = false;
    };
    explicit TraceText(Options options) : options_(options) {}

    /// The line of a response of module.trace or overlay.trace, with the payload's lines behind it
    /// when asked for. Errors: EPROTO.
    Result<std::string> next(const JsonObject& message);

  private:
    std::string stamp(double time);

    Options options_;
    std::optional<double> minute_, last_;
};

}  // namespace sluice
