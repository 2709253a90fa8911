// Blobs by the hash of their content (RFC 10), in memory. Equal blobs are kept once; those that the
// store has not got are dirty and stay, the others go, least recently used first, when there are
// too many. Pure.
#pragma once

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

    struct Stats {
        std::size_t count = 0, dirty = 0, bytes = 0, dirty_bytes = 0;
    };
    Stats stats() const;

    static constexpr std::size_t blob_bytes_max = std::size_t{1} << 30;

  private:
    enum class State { clean, dirty, writing };
    struct Entry {
        Blob bytes;
        State state = State::clean;
        std::list<std::string_view>::iterator used;  // in used_, clean entries only
    };
    using Entries = std::unordered_map<std::string, Entry>;
    void make_clean(Entries::iterator entry);
    void shrink();
    void forget_oldest();

    std::string algorithm_;
    std::size_t bytes_max_;
    Entries entries_;
    std::list<std::string_view> used_;  // keys of clean entries, the last used at the end
    std::vector<std::string> dirty_;
    std::size_t bytes_ = 0, dirty_bytes_ = 0, writing_ = 0;
};

}  // namespace sluice
