// RFC 18 - eventlogs: one compact JSON object per line, {"timestamp":F,"name":s,"context"?:o}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

struct Event {
    double timestamp = 0;  // seconds since the epoch, above 0
    std::string name;
    JsonObject context;    // empty: the key is left out
    friend bool operator==(const Event&, const Event&) = default;
};

/// One line, ended by "\n".
std::string encode_event(const Event& event);
JsonObject event_to_json(const Event& event);
/// Errors: EPROTO naming what is missing or of the wrong type.
Result<Event> decode_event(std::string_view line);
Result<Event> event_from_json(const JsonObject& object);
/// All events of a log. Errors: EPROTO naming the line number.
Result<std::vector<Event>> decode_eventlog(std::string_view text);
/// CLOCK_REALTIME in seconds.
double wall_clock_now();

}  // namespace sluice
