// RFC 22 - idsets: sets of unsigned integers written "0-3,7", optionally in brackets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace sluice {

/// A set of 32-bit ids kept as disjoint, ascending, non-adjacent closed ranges: a million
/// consecutive ids cost one range.
class Idset {
  public:
    using Id = std::uint32_t;
    static constexpr Id id_max = 0xFFFFFFFEu;  // 2^32-1 is "any" or "unknown" on the wire
    struct Range {
        Id first, last;
        friend bool operator==(const Range&, const Range&) = default;
    };

    Idset() = default;
    Idset(std::initializer_list<Id> ids);
    static Idset range(Id first, Id last);
    /// Errors: EINVAL naming the offending text and its position.
    static Result<Idset> parse(std::string_view text);
    /// "0-3,7"; "" when empty.
    std::string to_string() const;
    /// "[0-3,7]" when it holds more than one id, else "7" (the form job-list uses for ranks).
    std::string to_bracketed() const;

    bool empty() const { return ranges_.empty(); }
    std::size_t size() const;
    bool contains(Id id) const;
    Id first() const;  // of a non-empty set
    Id last() const;
    void insert(Id id);
    void insert(Id first, Id last);
    void erase(Id id);
    const std::vector<Range>& ranges() const { return ranges_; }
    std::vector<Id> to_vector() const;
    /// The `n`-th smallest id, n below size().
    Id nth(std::size_t n) const;

    friend Idset operator|(const Idset& a, const Idset& b);
    friend Idset operator&(const Idset& a, const Idset& b);
    friend Idset operator-(const Idset& a, const Idset& b);
    Idset& operator|=(const Idset& other);
    Idset& operator-=(const Idset& other);
    friend bool operator==(const Idset&, const Idset&) = default;

    /// Ascending iteration over the ids.
    class Iterator;
    Iterator begin() const;
    Iterator end() const;

  private:
    std::vector<Range> ranges_;
};

class Idset::Iterator {
  public:
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Range* range, Id offset) : range_(range), offset_(offset) {}
    Id operator*() const { return range_->first + offset_; }
    Iterator& operator++() {
        if (offset_ < range_->last - range_->first) {
            ++offset_;
        } else {
            ++range_;
            offset_ = 0;
        }
        return *this;
    }
    Iterator operator++(int) {
        auto old = *this;
        ++*this;
        return old;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

  private:
    const Range* range_ = nullptr;
    Id offset_ = 0;  // from the range's first id: the end needs no range to look into
};

inline Idset::Iterator Idset::begin() const { return {ranges_.data(), 0}; }
inline Idset::Iterator Idset::end() const { return {ranges_.data() + ranges_.size(), 0}; }

}  // namespace sluice
