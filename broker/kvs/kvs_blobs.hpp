// The blobs that one operation on the KVS reads: from the content cache, and, once it was told that
// some are missing, what was loaded for it. An operation that misses blobs has changed nothing; it
// is run again when they are here. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "broker/content/content_cache.hpp"

namespace sluice {

class KvsBlobs {
  public:
    explicit KvsBlobs(ContentCache& cache) : cache_(&cache) {}

    /// Errors: EAGAIN for a blob that is missing; others as given.
    Result<Blob> find(const std::string& blobref);
    /// What find() has missed since the last call, each once.
    std::vector<std::string> take_missing() { return std::exchange(missing_, {}); }
    bool missing() const { return !missing_.empty(); }
    /// A missing blob, or why there is none; kept for as long as this lives.
    void give(const std::string& blobref, Result<Blob> blob);

    ContentCache& cache() { return *cache_; }

  private:
    ContentCache* cache_;
    std::map<std::string, Result<Blob>> given_;
    std::vector<std::string> missing_;
};

}  // namespace sluice
