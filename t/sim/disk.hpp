// The lead's store with its real files, in place of the store's thread. A crash leaves the files
// as they were at that moment: a transaction under way may be there whole, in part (a torn WAL), or
// not.
#pragma once

#include <string>

namespace sluice::sim {

/// How the next crash of the lead finds its store.
enum class Tear {
    none,      // what was not committed is lost
    unsynced,  // it was written, but not committed
    torn,      // a part of its commit is in the WAL
    whole,     // it is durable, and nobody has heard of it
};
void tear_next(Tear tear, double part);
/// The disk has no room (or has it again).
void fill_disk(bool full);
void clear_disk();
/// A new store in `folder`, copied from one that was made once.
void make_store(const std::string& folder);

}  // namespace sluice::sim
