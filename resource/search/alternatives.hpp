// Requests with alternatives: xor_slot siblings, of which one is to be met. Each choice becomes a
// request of its own, in the order they are written.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "resource/request/request.hpp"

namespace sluice {

/// Errors: EOVERFLOW for over 1000 combinations.
Result<std::vector<std::vector<Request>>> expand_alternatives(const std::vector<Request>& requests);

}  // namespace sluice
