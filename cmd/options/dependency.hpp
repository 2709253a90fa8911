// RFC 26 - a dependency from its URI "SCHEME[:VALUE][?KEY=VAL[&KEY=VAL…]]".
#pragma once

#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// {"scheme","value",…}: numbers are converted, a repeated key becomes an array.
/// Errors: EINVAL `Invalid dependency URI "…"`.
Result<JsonObject> parse_dependency(std::string_view uri);

}  // namespace sluice
