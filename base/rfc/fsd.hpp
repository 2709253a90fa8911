// RFC 23 - Flux Standard Duration: "30", "1.5m", "2h", "inf"; seconds are the default unit.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// Seconds; infinity for "inf" and "infinity" in either case. Errors: EINVAL
/// "invalid Flux standard duration"; the caller adds what was meant to be one.
Result<double> fsd_parse(std::string_view text);
/// "0.041s", "1.518m", "1h", "2.1d", "inf" (cli.md 0.3).
std::string fsd_format(double seconds);
/// The same with `digits` significant digits (flux uptime uses 2).
std::string fsd_format(double seconds, int digits);

}  // namespace sluice
