// Patterns of names in option values: a shell glob, or "/REGEX" matched from the start.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

using NameMatcher = std::function<bool(const std::string&)>;
/// A pattern that begins with "/" is a regular expression, a trailing "/" is dropped.
/// Errors: EINVAL naming a regular expression that does not compile.
Result<NameMatcher> name_matcher(std::string_view pattern);

}  // namespace sluice
