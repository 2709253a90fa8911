#include "broker/content/content_cache.hpp"

#include <utility>

#include "base/blobref.hpp"

namespace sluice {

Result<ContentCache::Entry*> ContentCache::keep(std::string blob, std::string& ref) {
    if (blob.size() > blob_bytes_max)
        return fail(EFBIG, "blob of {} bytes, at most {} are kept", blob.size(), blob_bytes_max);
    SLUICE_TRY(const std::string hash, hash_blob(algorithm_, blob));
    ref = blobref_of(algorithm_, hash);
    const auto [entry, added] = entries_.try_emplace(ref);
    if (added) {
        bytes_ += blob.size();
        entry->second.bytes = std::make_shared<const std::string>(std::move(blob));
        entry->second.place = used_.end();
        make_dirty(entry);
    } else if (entry->second.state == State::replaced) {
        make_dirty(entry);
    } else if (entry->second.epoch < epoch_) {
        renew(entry);
    }
    return &entry->second;
}

Result<std::string> ContentCache::store(std::string blob) {
    std::string ref;
    SLUICE_TRY(Entry * entry, keep(std::move(blob), ref));
    entry->pinned = true;
    return ref;
}

Result<std::string> ContentCache::store_directory(std::string blob, const std::string& replaced) {
    std::string ref;
    SLUICE_TRY(Entry * entry, keep(std::move(blob), ref));
    ++entry->places;
    release(replaced);
    return ref;
}

bool ContentCache::pin(const std::string& blobref) {
    const auto found = entries_.find(blobref);
    if (found == entries_.end() || found->second.state == State::clean) return false;
    if (found->second.state == State::replaced) make_dirty(found);
    return !std::exchange(found->second.pinned, true);
}

void ContentCache::release(const std::string& blobref) {
    const auto found = entries_.find(blobref);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (entry.places > 0) --entry.places;
    if (entry.places > 0 || entry.pinned || entry.state != State::dirty) return;
    entry.state = State::replaced;
    used_.splice(used_.end(), dirty_, entry.place);
    dirty_bytes_ -= entry.bytes->size();
    shrink();
}

Blob ContentCache::find(std::string_view blobref) {
    const auto found = entries_.find(std::string{blobref});
    if (found == entries_.end()) return nullptr;
    Entry& entry = found->second;
    if (entry.state == State::clean || entry.state == State::replaced)
        used_.splice(used_.end(), used_, entry.place);
    return entry.bytes;
}

void ContentCache::add_clean(const std::string& blobref, Blob blob) {
    const auto [entry, added] = entries_.try_emplace(blobref);
    if (!added) return;
    bytes_ += blob->size();
    entry->second.bytes = std::move(blob);
    make_clean(entry);
    shrink();
}

void ContentCache::make_dirty(Entries::iterator entry) {
    const State before = entry->second.state;
    if (before == State::replaced || before == State::clean) {
        if (entry->second.place != used_.end()) used_.erase(entry->second.place);
    }
    entry->second.state = State::dirty;
    entry->second.place = dirty_.insert(dirty_.end(), entry->first);
    dirty_bytes_ += entry->second.bytes->size();
}

/// It has been stored again in a new epoch.
void ContentCache::renew(Entries::iterator entry) {
    if (entry->second.state == State::clean) make_dirty(entry);
    else if (entry->second.state == State::writing) entry->second.again = true;
}

void ContentCache::make_clean(Entries::iterator entry) {
    entry->second.state = State::clean;
    entry->second.place = used_.insert(used_.end(), entry->first);
}

std::vector<StoredBlob> ContentCache::take_dirty() {
    std::vector<StoredBlob> blobs;
    blobs.reserve(dirty_.size());
    for (const std::string_view ref : dirty_) {
        const auto entry = entries_.find(std::string{ref});
        entry->second.state = State::writing;
        entry->second.epoch = epoch_;
        blobs.push_back({entry->first, entry->second.bytes});
    }
    dirty_.clear();
    writing_ += blobs.size();
    dirty_bytes_ = 0;
    return blobs;
}

void ContentCache::written(const std::vector<StoredBlob>& blobs, bool stored) {
    writing_ -= blobs.size();
    for (const StoredBlob& blob : blobs) {
        const auto entry = entries_.find(blob.blobref);
        if (stored && !std::exchange(entry->second.again, false)) make_clean(entry);
        else make_dirty(entry);
    }
    shrink();
}

void ContentCache::shrink() {
    while (bytes_ > bytes_max_ && !used_.empty()) forget_oldest();
}

void ContentCache::drop_clean() {
    while (!used_.empty()) forget_oldest();
}

void ContentCache::forget_oldest() {
    const auto oldest = entries_.find(std::string{used_.front()});
    bytes_ -= oldest->second.bytes->size();
    used_.pop_front();
    entries_.erase(oldest);
}

ContentCache::Stats ContentCache::stats() const {
    return {entries_.size(), dirty_.size() + writing_, bytes_, dirty_bytes_};
}

}  // namespace sluice
