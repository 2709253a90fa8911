// Sizes as people write them: "10M", "1.5k", "300".
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// Bytes; the units k or K, M, G, T are powers of 1024. Errors: EINVAL naming the text.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace sluice
