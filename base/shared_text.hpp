// Text that very many hold and nobody changes: equal texts are kept once, for as long as one of
// their holders lives. Each thread has its own; a holder stays in the thread that made it.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

class SharedText {
  public:
    SharedText() = default;
    SharedText(std::string_view text) : entry_(acquire(text)) {}
    SharedText(const std::string& text) : SharedText(std::string_view{text}) {}
    SharedText(const char* text) : SharedText(std::string_view{text}) {}
    SharedText(const SharedText& other) : entry_(other.entry_) {
        if (entry_) ++entry_->second;
    }
    SharedText(SharedText&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
    SharedText& operator=(SharedText other) noexcept {
        std::swap(entry_, other.entry_);
        return *this;
    }
    ~SharedText() {
        if (entry_ && --entry_->second == 0) release(entry_);
    }

    const std::string& str() const { return entry_ ? entry_->first : nothing; }
    operator const std::string&() const { return str(); }
    operator std::string_view() const { return str(); }
    bool empty() const { return !entry_; }

    friend bool operator==(const SharedText& a, const SharedText& b) {
        return a.entry_ == b.entry_;
    }
    friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
    friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }

    /// How many different texts this thread keeps.
    static std::size_t kept();

  private:
    using Entry = std::pair<const std::string, std::size_t>;  // text, holders
    static Entry* acquire(std::string_view text);
    static void release(Entry* entry);
    static const std::string nothing;

    Entry* entry_ = nullptr;  // nullptr: the empty text
};

}  // namespace sluice
