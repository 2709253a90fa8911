// The part of YAML that people write format files in: nested block mappings of text, with plain,
// quoted, folded (>) and literal (|) scalars and comments. No lists, anchors or flow style.
#pragma once

#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// The mapping as JSON; all scalars are strings. Errors: EINVAL naming the line.
Result<JsonObject> parse_yaml_subset(std::string_view text);

}  // namespace sluice
