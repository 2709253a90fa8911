// The content store of rank 0 (RFC 10): the cache in front, SqliteStore behind. Blobs are written
// behind: together, a little later, or when someone asks (flush, checkpoint).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "broker/content/content_cache.hpp"
#include "broker/content/sqlite_store.hpp"

namespace sluice {

class Content {
  public:
    Content(ContentCache cache, SqliteStore& store) : cache_(std::move(cache)), store_(store) {}

    ContentCache& cache() { return cache_; }
    SqliteStore& backing() { return store_; }

    /// Calls `on_load` at once when the blob is in memory, else when it was read.
    /// Errors: ENOENT no such blob, EIO.
    using OnLoad = std::function<void(const Result<Blob>&)>;
    void load(const std::string& blobref, OnLoad on_load);

    using Done = std::function<void(const Result<void>&)>;
    /// Writes what is dirty; `done` is called once all that was stored before is on disk.
    void flush(Done done) { write({}, std::move(done)); }
    /// A flush whose transaction also holds the checkpoint.
    void checkpoint(StoreBatch::NewCheckpoint checkpoint, Done done);

    /// Says that blobs may have become dirty: they are written once a turn has made many of them,
    /// else when `later` calls write_behind().
    void changed();
    void write_behind();
    struct Hooks {
        std::function<void()> later;
        std::function<void(const Error&)> on_error;  // of what was written behind
        /// The checkpoint to go with what is written behind, if it is a new one.
        std::function<std::optional<StoreBatch::NewCheckpoint>()> root;
    };
    Hooks hooks;

  private:
    void write(std::optional<StoreBatch::NewCheckpoint> checkpoint, Done done);

    ContentCache cache_;
    SqliteStore& store_;
    std::map<std::string, std::vector<OnLoad>> loading_;
    bool waiting_ = false;  // for `later`
    bool writing_ = false;
};

}  // namespace sluice
