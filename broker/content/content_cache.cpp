#include "broker/content/content_cache.hpp"

#include "base/blobref.hpp"

namespace sluice {

Result<std::string> ContentCache::store(std::string blob) {
    if (blob.size() > blob_bytes_max)
        return fail(EFBIG, "blob of {} bytes, at most {} are kept", blob.size(), blob_bytes_max);
    SLUICE_TRY(const std::string hash, hash_blob(algorithm_, blob));
    std::string ref = blobref_of(algorithm_, hash);
    const std::size_t size = blob.size();
    if (blobs_.try_emplace(ref, std::move(blob)).second) bytes_ += size;
    return ref;
}

Result<const std::string*> ContentCache::load(std::string_view blobref) const {
    const auto found = blobs_.find(blobref);
    if (found == blobs_.end()) return Error{ENOENT};
    return &found->second;
}

}  // namespace sluice
