// Online collection of the blobs that no tree refers to (flux-gc(1)): mark what can be reached from
// the roots, then sweep what has an older epoch. A slice at a time, on the store's thread.
//
//   marking -nothing left to visit-> sweeping -high water reached-> done
//
// Invariants: 1. nothing is swept before all that can be reached is marked; 2. the roots were taken
// after the horizon, and all of their trees is in the store: what is stored later has the epoch of
// the horizon, so that a blob that comes into use meanwhile is either marked or new.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.hpp"
#include "broker/content/store.hpp"

namespace sluice {

class Database;

class BlobCollector {
  public:
    BlobCollector(CollectionHorizon horizon, std::vector<std::string> roots);

    /// A slice of the work; true when all is done.
    /// Errors: EIO; ENOENT and EPROTO for a directory that is not there or is none.
    Result<bool> step(Database& database);

    std::int64_t marked() const { return marked_; }
    std::int64_t reclaimed() const { return reclaimed_; }
    std::size_t checkpoint_count() const { return checkpoints_; }

  private:
    void visit(std::string blobref);
    Result<void> add_checkpoints(Database& database);
    Result<void> mark(Database& database, std::string_view blobref);
    Result<void> mark_directory(Database& database, const std::string& blobref);

    CollectionHorizon horizon_;
    std::vector<std::string> to_visit_;             // directories
    std::unordered_set<std::string> visited_;
    bool begun_ = false;
    std::int64_t swept_to_ = 0, marked_ = 0, reclaimed_ = 0;
    std::size_t checkpoints_ = 0;
};

}  // namespace sluice
