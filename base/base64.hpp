// RFC 4648 - base64 with padding, as J (RFC 15) and encoded output data (RFC 24) use it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

std::string base64_encode(std::string_view bytes);
/// Errors: EINVAL for a wrong length, character or padding.
Result<std::string> base64_decode(std::string_view text);

}  // namespace sluice
