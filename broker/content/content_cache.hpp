// Blobs by the hash of their content (RFC 10), in memory. Equal blobs are kept once. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.hpp"
#include "base/rfc/treeobj.hpp"

namespace sluice {

class ContentCache {
  public:
    explicit ContentCache(std::string algorithm = "sha1") : algorithm_(std::move(algorithm)) {}

    const std::string& algorithm() const { return algorithm_; }
    /// The blobref of `blob`, kept from now on. Errors: EFBIG over blob_bytes_max.
    Result<std::string> store(std::string blob);
    /// Lifetime: as long as the cache. Errors: ENOENT.
    Result<const std::string*> load(std::string_view blobref) const;

    std::size_t count() const { return blobs_.size(); }
    std::size_t bytes() const { return bytes_; }

    static constexpr std::size_t blob_bytes_max = std::size_t{1} << 30;

  private:
    std::string algorithm_;
    std::map<std::string, std::string, std::less<>> blobs_;
    std::size_t bytes_ = 0;
};

}  // namespace sluice
