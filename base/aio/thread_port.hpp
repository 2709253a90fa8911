// The way into another thread: a bounded queue that the consumer empties in one go. Holds the only
// mutex of the tree; what crosses is moved, never shared.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace sluice {

template <class T>
class ThreadPort {
  public:
    explicit ThreadPort(std::size_t items_max) : items_max_(items_max) {}

    /// Hands over an item; waits while the queue is full, so the consumer must never wait for the
    /// producer. False once closed.
    bool push(T item) {
        std::unique_lock lock{mutex_};
        has_room_.wait(lock, [&] { return closed_ || items_.size() < items_max_; });
        if (closed_) return false;
        items_.push_back(std::move(item));
        if (items_.size() == 1) has_items_.notify_one();
        return true;
    }
    /// Waits for items and takes all there are; empty once closed.
    std::vector<T> take_all() {
        std::unique_lock lock{mutex_};
        has_items_.wait(lock, [&] { return closed_ || !items_.empty(); });
        if (closed_) return {};
        has_room_.notify_all();
        return std::exchange(items_, {});
    }
    /// As take_all, but waits for no longer than `most`: empty too when nothing came.
    std::vector<T> take_all_within(std::chrono::milliseconds most) {
        std::unique_lock lock{mutex_};
        has_items_.wait_for(lock, most, [&] { return closed_ || !items_.empty(); });
        if (closed_) return {};
        has_room_.notify_all();
        return std::exchange(items_, {});
    }
    /// Ends both sides; what was not taken is dropped.
    void close() {
        const std::lock_guard lock{mutex_};
        closed_ = true;
        has_items_.notify_all();
        has_room_.notify_all();
    }

  private:
    const std::size_t items_max_;
    std::mutex mutex_;
    std::condition_variable has_items_, has_room_;
    std::vector<T> items_;
    bool closed_ = false;
};

}  // namespace sluice
