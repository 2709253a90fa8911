#include "broker/content/content.hpp"

#include <utility>

namespace sluice {
namespace {

constexpr std::size_t dirty_bytes_max = 4u << 20;

}  // namespace

void Content::load(const std::string& blobref, OnLoad on_load) {
    if (const Blob blob = cache_.find(blobref)) return on_load(blob);
    std::vector<OnLoad>& waiting = loading_[blobref];
    waiting.push_back(std::move(on_load));
    if (waiting.size() > 1) return;
    store_.read_blob(blobref, [this, blobref](const Result<std::optional<std::string>>& read) {
        Result<Blob> blob{Error{ENOENT}};
        if (!read) {
            blob = read.error();
        } else if (*read) {
            blob = std::make_shared<const std::string>(**read);
            cache_.add_clean(blobref, *blob);
        }
        const auto waiters = loading_.extract(blobref);
        for (const OnLoad& waiter : waiters.mapped()) waiter(blob);
    });
}

void Content::checkpoint(StoreBatch::NewCheckpoint checkpoint, Done done) {
    write(std::move(checkpoint), std::move(done));
}

void Content::changed() {
    const ContentCache::Stats stats = cache_.stats();
    if (stats.dirty_bytes > dirty_bytes_max && !writing_) return write_behind();
    if (stats.dirty == 0 || std::exchange(waiting_, true)) return;
    if (hooks.later) hooks.later();
}

void Content::write_behind() {
    waiting_ = false;
    if (writing_) return changed();
    writing_ = true;
    write(hooks.root ? hooks.root() : std::nullopt, [this](const Result<void>& stored) {
        writing_ = false;
        if (!stored && hooks.on_error) hooks.on_error(stored.error());
        if (stored || cache_.stats().dirty > 0) changed();
    });
}

void Content::write(std::optional<StoreBatch::NewCheckpoint> checkpoint, Done done) {
    auto batch = std::make_shared<StoreBatch>();
    batch->blobs = cache_.take_dirty();
    batch->checkpoint = std::move(checkpoint);
    // Also with nothing to write: the store answers in order, so earlier writes are done then.
    store_.commit(batch, [this, batch, done = std::move(done)](const Result<void>& stored) {
        cache_.written(batch->blobs, stored.has_value());
        done(stored);
    });
}

}  // namespace sluice
