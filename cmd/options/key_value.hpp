// KEY[=VALUE] option values (-o and -S): dotted keys, JSON values.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "cmd/options/file_loader.hpp"

namespace sluice {

struct KeyValue {
    std::string key;
    Json value;
};

/// VALUE is JSON if it parses, else text; without one it is 1; "^KEY=FILE" reads JSON from a file.
/// Errors: EINVAL or the file's errno.
Result<KeyValue> parse_key_value(std::string_view text, const FileLoader& load);
/// The place of an -S key below "attributes": ".user.x", "user.x", "system.x", "attributes.user.x"
/// as they are, any other under "system.".
std::string attribute_path(std::string_view key);

}  // namespace sluice
