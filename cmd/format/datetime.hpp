// Points in time as people write them: "+1h", "-30m", "now", "2030-01-01 12:00", "3pm",
// "tomorrow 9am", "in an hour", "2 days ago", "last Monday". All in local time.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// Seconds since the epoch. A date without a time keeps the time of day of `now` (as stock tools
/// do); "today", "tomorrow", "yesterday" and weekdays begin at midnight.
/// Errors: EINVAL `Invalid datetime: "X"`.
Result<double> parse_datetime(std::string_view text, double now);

}  // namespace sluice
