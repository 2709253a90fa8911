// {field} replacement in commands and options (--cc, bulksubmit). "{{…}}" belongs to the shell's
// mustache templates and stays.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// The text of a field ("cc", "0.%", ""), or nullopt when there is no such field.
using FieldLookup = std::function<std::optional<std::string>(std::string_view field)>;

struct ReplaceOptions {
    bool keep_variables = false;  // leave "${NAME}" alone when NAME is no field
};
/// Errors: EINVAL naming the field there is not, or an unclosed brace.
Result<std::string> replace_fields(std::string_view text, const FieldLookup& lookup,
                                   ReplaceOptions options = {});

/// One input of bulksubmit by the operator after its dot: "%" without extension, "/" base name,
/// "/%" both, "//" folder, "" as it is. Nullopt for any other operator.
std::optional<std::string> path_operator(const std::string& input, std::string_view op);

}  // namespace sluice
