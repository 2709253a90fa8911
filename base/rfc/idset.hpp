// RFC 22 - idsets: sets of unsigned integers written "0-3,7", optionally in brackets.
#pragma once

#include <cstdint>
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
    Iterator(const Range* range, Id id) : range_(range), id_(id) {}
    Id operator*() const { return id_; }
    Iterator& operator++();
    Iterator operator++(int) { auto old = *this; ++*this; return old; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

  private:
    const Range* range_ = nullptr;
    Id id_ = 0;
};

}  // namespace sluice
