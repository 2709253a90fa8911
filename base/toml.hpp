// TOML documents as JSON values (RFC 38 configuration). The only includer of toml++ is toml.cpp.
#pragma once

#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// The document as an object; dates and times become their ISO text. `name` is the file, for
/// messages. Errors: EINVAL "NAME:LINE:COLUMN: what is wrong".
Result<JsonObject> parse_toml(std::string_view text, std::string_view name);

}  // namespace sluice
