// TOML documents as JSON values (RFC 38 configuration). The only includer of toml++ is toml.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// The document as an object; dates and times become their ISO text. `name` is the file, for
/// messages. Errors: EINVAL "NAME:LINE:COLUMN: what is wrong".
Result<JsonObject> parse_toml(std::string_view text, std::string_view name);

/// "NAME:LINE:COLUMN" of each value, by its path: "bootstrap.hosts[0].host".
using TomlPlaces = std::map<std::string, std::string, std::less<>>;

struct TomlDocument {
    JsonObject root;
    TomlPlaces places;
};
/// As parse_toml, with the places of the values.
Result<TomlDocument> parse_toml_document(std::string_view text, std::string_view name);

}  // namespace sluice
