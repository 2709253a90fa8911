// RFC 10 - Content addresses: the hash of a blob, as raw bytes and as text "sha1-4b15…".
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

/// Raw hash of `blob` by "sha1" or "sha256". Errors: EINVAL for another name.
Result<std::string> hash_blob(std::string_view algorithm, std::string_view blob);
/// "sha1-<hex>" of a raw hash.
std::string blobref_of(std::string_view algorithm, std::string_view hash);
/// The raw hash in a blobref. Errors: EINVAL for an unknown algorithm or a wrong length.
Result<std::string> parse_blobref(std::string_view blobref);

}  // namespace sluice
