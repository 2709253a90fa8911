// Events of eventlogs (RFC 18) as the eventlog commands print them: time, name, and the context as
// KEY=VALUE with JSON values. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/rfc/eventlog.hpp"

namespace sluice {

/// raw: seconds since the epoch; iso: local time; offset: seconds since the first event; human: the
/// time of day once a minute, else seconds since then; reltime: how long ago.
enum class EventTime { raw, iso, offset, human, reltime };
/// Errors: EINVAL "invalid time-format type 'X'".
Result<EventTime> parse_event_time(std::string_view name);

class EventText {
  public:
    struct Options {
        EventTime time = EventTime::raw;
        bool json = false;  // the event itself, compact
        bool color = false;
    };
    explicit EventText(Options options) : options_(options) {}
    /// The text of the next event, without newline; `now` matters for reltime only.
    std::string next(const Event& event, double now);

  private:
    std::string stamp(double time, double now);

    Options options_;
    std::optional<double> first_, shown_;  // time of the first event, of the last full stamp
};

}  // namespace sluice
