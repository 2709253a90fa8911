// Blobs by the hash of their content (RFC 10), in memory. Equal blobs are kept once; those that the
// store has not got are dirty and stay, the others go, least recently used first, when there are
// too many. A directory of the KVS that was replaced before it was written is not worth a write: it
// can be read for as long as it is not the least recently used. Pure.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "broker/content/store.hpp"

namespace sluice {

class ContentCache {
  public:
    explicit ContentCache(std::string algorithm = "sha1", std::size_t bytes_max = 32u << 20)
        : algorithm_(std::move(algorithm)), bytes_max_(bytes_max) {}

    const std::string& algorithm() const { return algorithm_; }
    /// The blobref of `blob`, which is dirty now unless it was here.
    /// Errors: EFBIG over blob_bytes_max.
    Result<std::string> store(std::string blob);
    /// As store, for a directory of a KVS tree in the place of directory `replaced` ("": none),
    /// which need not be written any more unless it is in another place too, or pinned.
    Result<std::string> store_directory(std::string blob, const std::string& replaced);
    /// Something outside of the trees refers to this directory, so it has to be written. True when
    /// it is not yet: then the same holds for the directories in it.
    bool pin(const std::string& blobref);
    /// nullptr when it is not in memory.
    Blob find(std::string_view blobref);
    /// A blob that the store has.
    void add_clean(const std::string& blobref, Blob blob);

    /// All dirty blobs, to be written now; further calls leave them out until written().
    std::vector<StoredBlob> take_dirty();
    /// The end of a write of what take_dirty() gave; when it failed they are dirty again.
    void written(const std::vector<StoredBlob>& blobs, bool stored);
    /// Forgets all that the store has.
    void drop_clean();
    /// A collection of blobs begins: what is stored from now on is written (again), though the
    /// store has it already, so that it has the new epoch there.
    void next_epoch() { ++epoch_; }

    struct Stats {
        std::size_t count = 0, dirty = 0, bytes = 0, dirty_bytes = 0;
    };
    Stats stats() const;

    static constexpr std::size_t blob_bytes_max = std::size_t{1} << 30;

  private:
    enum class State { clean, dirty, writing, replaced };
    using Keys = std::list<std::string_view>;  // of entries_
    struct Entry {
        Blob bytes;
        State state = State::clean;
        Keys::iterator place;      // in used_ when clean or replaced, in dirty_ when dirty
        bool pinned = false;
        bool again = false;        // stored in a later epoch than that in which it is written
        std::uint32_t places = 0;  // in trees, as far as they are known
        std::uint32_t epoch = 0;   // that it has in the store at least
    };
    using Entries = std::unordered_map<std::string, Entry>;
    Result<Entry*> keep(std::string blob, std::string& ref);
    void make_dirty(Entries::iterator entry);
    void make_clean(Entries::iterator entry);
    void renew(Entries::iterator entry);
    void release(const std::string& blobref);
    void shrink();
    void forget_oldest();

    std::string algorithm_;
    std::size_t bytes_max_;
    Entries entries_;
    Keys used_;   // clean and replaced entries, the last used at the end
    Keys dirty_;  // in the order in which they came
    std::size_t bytes_ = 0, dirty_bytes_ = 0, writing_ = 0;
    std::uint32_t epoch_ = 0;
};

}  // namespace sluice
