// The keys of the configuration that the broker itself reads, with their types and bounds (cli.md
// 5). Tables of other parts are checked by those parts. Pure.
#pragma once

#include "base/json.hpp"
#include "base/result.hpp"

namespace sluice {

/// Errors: EINVAL "key: what was found; the cure", the key written as table.key.
Result<void> check_config_tables(const JsonObject& config);

}  // namespace sluice
