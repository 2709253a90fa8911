// YAML documents as JSON, as people write format files. The only includer of yaml-cpp is yaml.cpp.
#pragma once

#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// The mapping at the top; all scalars are strings. Errors: EINVAL "line N: what is wrong".
Result<JsonObject> parse_yaml(std::string_view text);

}  // namespace sluice
