#include "broker/content/content_cache.hpp"

#include "base/blobref.hpp"

namespace sluice {

Result<std::string> ContentCache::store(std::string blob) {
    if (blob.size() > blob_bytes_max)
        return fail(EFBIG, "blob of {} bytes, at most {} are kept", blob.size(), blob_bytes_max);
    SLUICE_TRY(const std::string hash, hash_blob(algorithm_, blob));
    std::string ref = blobref_of(algorithm_, hash);
    const auto [entry, added] = entries_.try_emplace(ref);
    if (!added) return ref;
    bytes_ += blob.size();
    dirty_bytes_ += blob.size();
    entry->second = {std::make_shared<const std::string>(std::move(blob)), State::dirty, {}};
    dirty_.push_back(ref);
    return ref;
}

Blob ContentCache::find(std::string_view blobref) {
    const auto found = entries_.find(std::string{blobref});
    if (found == entries_.end()) return nullptr;
    Entry& entry = found->second;
    if (entry.state == State::clean) used_.splice(used_.end(), used_, entry.used);
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

void ContentCache::make_clean(Entries::iterator entry) {
    entry->second.state = State::clean;
    entry->second.used = used_.insert(used_.end(), entry->first);
}

std::vector<StoredBlob> ContentCache::take_dirty() {
    std::vector<StoredBlob> blobs;
    blobs.reserve(dirty_.size());
    for (std::string& ref : dirty_) {
        Entry& entry = entries_.at(ref);
        entry.state = State::writing;
        blobs.push_back({std::move(ref), entry.bytes});
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
        if (stored) {
            make_clean(entry);
        } else {
            entry->second.state = State::dirty;
            dirty_.push_back(blob.blobref);
            dirty_bytes_ += blob.bytes->size();
        }
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
