// The open requests of a streaming method, with the rules for cancel and disconnect (RFC 6, wire.md
// 1.2 and 1.4): same sender and, for a cancel, same matchtag; a cancelled stream ends with ENODATA.
#pragma once

#include <cstdint>
#include <list>
#include <string_view>

#include "broker/service/request.hpp"

namespace sluice {

/// A list of requests, each with the state `T` that its stream keeps.
template <class T>
class Streams {
  public:
    struct Entry {
        Request request;
        T state;
    };
    T& add(Request request, T state = {}) {
        return entries_.emplace_back(Entry{std::move(request), std::move(state)}).state;
    }
    /// Ends the stream of `cancel`'s sender that has `matchtag`; no match is ignored.
    void cancel(const Request& cancel, std::int64_t matchtag) {
        remove_if([&](const Entry& entry) {
            if (entry.request.sender() != cancel.sender() ||
                entry.request.matchtag() != static_cast<Matchtag>(matchtag))
                return false;
            entry.request.end_stream();
            return true;
        });
    }
    /// Drops all requests of a client that is gone.
    void disconnect(std::string_view sender) {
        remove_if([&](const Entry& entry) { return entry.request.sender() == sender; });
    }
    template <class Predicate>
    void remove_if(Predicate predicate) {
        for (auto entry = entries_.begin(); entry != entries_.end();)
            entry = predicate(*entry) ? entries_.erase(entry) : std::next(entry);
    }
    std::list<Entry>& entries() { return entries_; }
    const std::list<Entry>& entries() const { return entries_; }
    bool empty() const { return entries_.empty(); }

  private:
    std::list<Entry> entries_;
};

}  // namespace sluice
