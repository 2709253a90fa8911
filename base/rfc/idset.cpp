// RFC 22 - see idset.hpp.
#include "base/rfc/idset.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"

namespace sluice {
namespace {

using Id = Idset::Id;
using Range = Idset::Range;

/// Appends a range that begins at or after the last one's first id, joining what touches.
void append(std::vector<Range>& ranges, Range range) {
    if (!ranges.empty() && range.first <= std::uint64_t{ranges.back().last} + 1) {
        ranges.back().last = std::max(ranges.back().last, range.last);
    } else {
        ranges.push_back(range);
    }
}

void append_id(std::string& out, Id id) {
    char buffer[12];
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, id).ptr);
}

/// Reads a number without leading zeros at `at`, which moves behind it.
Result<Id> read_id(std::string_view text, std::size_t& at) {
    const char* const begin = text.data() + at;
    Id id = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), id);
    const std::size_t digits = end - begin;
    if (error == std::errc::invalid_argument)
        return fail(EINVAL, "invalid idset '{}': expected a number at position {}", text, at);
    if (error == std::errc::result_out_of_range || id > Idset::id_max)
        return fail(EINVAL, "invalid idset '{}': number at position {} is over {}", text, at,
                    Idset::id_max);
    if (digits > 1 && *begin == '0')
        return fail(EINVAL, "invalid idset '{}': leading zero at position {}", text, at);
    at += digits;
    return id;
}

std::string_view without_brackets(std::string_view text) {
    if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
        return text.substr(1, text.size() - 2);
    return text;
}

}  // namespace

Idset::Idset(std::initializer_list<Id> ids) {
    for (const Id id : ids) insert(id);
}

Idset Idset::range(Id first, Id last) {
    Idset set;
    set.insert(first, last);
    return set;
}

Result<Idset> Idset::parse(std::string_view text) {
    Idset set;
    text = without_brackets(text);
    if (text.empty()) return set;
    for (std::size_t at = 0;;) {
        const std::size_t start = at;
        SLUICE_TRY(const Id first, read_id(text, at));
        Id last = first;
        if (at < text.size() && text[at] == '-') {
            SLUICE_TRY(last, read_id(text, ++at));
        }
        if (last < first || (!set.empty() && first <= set.last()))
            return fail(EINVAL, "invalid idset '{}': ids at position {} do not ascend", text,
                        start);
        append(set.ranges_, {first, last});
        if (at == text.size()) return set;
        if (text[at] != ',')
            return fail(EINVAL, "invalid idset '{}': unexpected '{}' at position {}", text,
                        text[at], at);
        ++at;
    }
}

std::string Idset::to_string() const {
    std::string out;
    for (const Range& range : ranges_) {
        if (!out.empty()) out += ',';
        append_id(out, range.first);
        if (range.last == range.first) continue;
        out += '-';
        append_id(out, range.last);
    }
    return out;
}

std::string Idset::to_bracketed() const {
    std::string text = to_string();
    const bool several = ranges_.size() > 1 || (!empty() && ranges_[0].first != ranges_[0].last);
    return several ? '[' + text + ']' : text;
}

std::size_t Idset::size() const {
    std::size_t size = 0;
    for (const Range& range : ranges_) size += std::size_t{range.last} - range.first + 1;
    return size;
}

bool Idset::contains(Id id) const {
    const auto found = std::ranges::lower_bound(ranges_, id, {}, &Range::last);
    return found != ranges_.end() && found->first <= id;
}

Id Idset::first() const {
    SLUICE_ASSERT(!empty());
    return ranges_.front().first;
}

Id Idset::last() const {
    SLUICE_ASSERT(!empty());
    return ranges_.back().last;
}

void Idset::insert(Id id) { insert(id, id); }

void Idset::insert(Id first, Id last) {
    SLUICE_ASSERT(first <= last && last <= id_max);
    if (ranges_.empty() || first >= ranges_.back().first) return append(ranges_, {first, last});
    // All ranges that overlap or touch [first, last] become one.
    const auto from = std::ranges::lower_bound(ranges_, std::uint64_t{first}, {},
                                               [](Range r) { return std::uint64_t{r.last} + 1; });
    auto to = from;
    while (to != ranges_.end() && to->first <= std::uint64_t{last} + 1) {
        first = std::min(first, to->first);
        last = std::max(last, to->last);
        ++to;
    }
    ranges_.insert(ranges_.erase(from, to), {first, last});
}

void Idset::erase(Id id) {
    const auto found = std::ranges::lower_bound(ranges_, id, {}, &Range::last);
    if (found == ranges_.end() || found->first > id) return;
    if (found->first == found->last) {
        ranges_.erase(found);
    } else if (found->first == id) {
        ++found->first;
    } else if (found->last == id) {
        --found->last;
    } else {
        const Range tail{id + 1, found->last};
        found->last = id - 1;
        ranges_.insert(found + 1, tail);
    }
}

std::vector<Id> Idset::to_vector() const {
    std::vector<Id> ids;
    ids.reserve(size());
    for (const Id id : *this) ids.push_back(id);
    return ids;
}

Id Idset::nth(std::size_t n) const {
    for (const Range& range : ranges_) {
        const std::size_t width = std::size_t{range.last} - range.first + 1;
        if (n < width) return range.first + static_cast<Id>(n);
        n -= width;
    }
    SLUICE_ASSERT(!"n is below size()");
}

Idset operator|(const Idset& a, const Idset& b) {
    Idset result;
    result.ranges_.reserve(a.ranges_.size() + b.ranges_.size());
    auto x = a.ranges_.begin(), y = b.ranges_.begin();
    while (x != a.ranges_.end() || y != b.ranges_.end()) {
        const bool take_x =
            y == b.ranges_.end() || (x != a.ranges_.end() && x->first <= y->first);
        append(result.ranges_, take_x ? *x++ : *y++);
    }
    return result;
}

Idset operator&(const Idset& a, const Idset& b) {
    Idset result;
    auto x = a.ranges_.begin(), y = b.ranges_.begin();
    while (x != a.ranges_.end() && y != b.ranges_.end()) {
        const Id first = std::max(x->first, y->first), last = std::min(x->last, y->last);
        if (first <= last) result.ranges_.push_back({first, last});
        if (x->last < y->last) {
            ++x;
        } else {
            ++y;
        }
    }
    return result;
}

Idset operator-(const Idset& a, const Idset& b) {
    Idset result;
    auto cut = b.ranges_.begin();
    for (Range rest : a.ranges_) {
        while (cut != b.ranges_.end() && cut->last < rest.first) ++cut;
        bool any_left = true;
        for (auto c = cut; c != b.ranges_.end() && c->first <= rest.last; ++c) {
            if (c->first > rest.first) result.ranges_.push_back({rest.first, c->first - 1});
            any_left = c->last < rest.last;
            if (!any_left) break;
            rest.first = c->last + 1;
        }
        if (any_left) result.ranges_.push_back(rest);
    }
    return result;
}

Idset& Idset::operator|=(const Idset& other) { return *this = *this | other; }
Idset& Idset::operator-=(const Idset& other) { return *this = *this - other; }

}  // namespace sluice
