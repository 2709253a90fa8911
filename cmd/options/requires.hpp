// RFC 35 - the constraint expressions of --requires, to RFC 31 constraint objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// `a,^b -host:n1` gives {"and":[{"properties":["a","^b"]},{"not":[{"hostlist":["n1"]}]}]}.
/// Unknown operators are passed on; whoever receives the constraint judges them.
/// Errors: EINVAL with what is wrong and the expression.
Result<JsonObject> parse_requires(std::string_view expression);
/// All of several expressions.
Result<JsonObject> parse_requires(const std::vector<std::string>& expressions);

}  // namespace sluice
