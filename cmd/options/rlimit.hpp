// The shell option rlimit from the submitter's soft limits and --rlimit (cli.md 2.4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// Limits by lower-case name; -1 is unlimited. The order is that of the jobspec.
using LimitList = std::vector<std::pair<std::string_view, std::int64_t>>;

/// This process's soft limits, all the system knows.
LimitList current_limits();
/// `current` without those that are not passed on by default, changed by comma-separated rules in
/// order: "-PATTERN", "NAME=VALUE", or "PATTERN" to take current ones back.
/// Errors: EINVAL naming the rule.
Result<JsonObject> build_rlimits(const LimitList& current, const std::vector<std::string>& rules);

}  // namespace sluice
