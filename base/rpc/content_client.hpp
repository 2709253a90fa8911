// Blobs of the instance's content store, by their reference (RFC 10).
#pragma once

#include <string>

#include "base/rpc/handle.hpp"

namespace sluice {

enum class ContentTier { cache, backing };

/// Errors: EINVAL bad reference; as the service sent.
Result<std::string> load_blob(Handle& flux, const std::string& blobref,
                              ContentTier tier = ContentTier::cache);
/// The reference of the blob, now stored; `algorithm` is attribute content.hash.
Result<std::string> store_blob(Handle& flux, const std::string& algorithm, std::string blob,
                               ContentTier tier = ContentTier::cache);

}  // namespace sluice
