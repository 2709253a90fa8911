// Signals by name or number.
#pragma once

#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// "SIGTERM", "term", or any number: the broker knows the range.
/// Errors: EINVAL "Invalid signal X".
Result<int> parse_signal(std::string_view text);

}  // namespace sluice
