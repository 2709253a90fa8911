// JSON documents that live until the process ends, for commands that read very many of them: their
// memory comes from one arena, which is never given back piece by piece.
#pragma once

#include <string_view>

#include "base/json.hpp"

namespace sluice {

/// As parse_json_object. Not for daemons: every call takes memory for good.
Result<JsonObject> parse_json_object_for_good(std::string_view text);

}  // namespace sluice
