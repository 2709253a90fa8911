#include "broker/kvs/kvs_blobs.hpp"

#include <algorithm>

namespace sluice {

Result<Blob> KvsBlobs::find(const std::string& blobref) {
    if (const auto given = given_.find(blobref); given != given_.end()) return given->second;
    if (Blob blob = cache_->find(blobref)) return blob;
    if (std::ranges::find(missing_, blobref) == missing_.end()) missing_.push_back(blobref);
    return Error{EAGAIN};
}

void KvsBlobs::give(const std::string& blobref, Result<Blob> blob) {
    given_.insert_or_assign(blobref, std::move(blob));
}

}  // namespace sluice
