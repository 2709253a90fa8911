// Conversions of output fields: {field!D} ISO time, !d time by strftime, !F duration, !H h:mm:ss,
// !P percentage, !r !s !a as in Python.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cmd/format/format_spec.hpp"

namespace sluice {

/// The value converted by `letter` (0: none). `time_format` is strftime's for 'd'; empty means ISO.
/// Times are local time; an unset or zero time is empty text.
FieldValue convert(char letter, std::string_view time_format, FieldValue value);
bool known_conversion(char letter);
/// Whether the value counts as empty: "", 0s, 0.0, 0:00:00, the epoch.
bool is_empty_value(const FieldValue& value);
/// The value as a number: numbers, booleans and numeric text.
std::optional<double> numeric(const FieldValue& value);

std::string local_time(double seconds, const std::string& strftime_format);
std::string iso_local_time(double seconds);  // "2020-01-07T13:31:00"
std::string clock_duration(double seconds);  // "1:00:00", "1 day, 0:00:00"
std::string percentage(double fraction);     // "12.5%", "0.25%"

}  // namespace sluice
