// JSON documents that live together and go together, for commands that read very many of them.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <string_view>

#include "base/json.hpp"

namespace sluice {

using JsonArena = boost::json::monotonic_resource;

/// As parse_json_object; the object takes its memory from `arena`, which must outlive it and
/// whatever is moved out of it.
Result<JsonObject> parse_json_object(std::string_view text, JsonArena& arena);

}  // namespace sluice
