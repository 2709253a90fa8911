// How much of one amount is in use at which time: spans are added and removed, questions are "what
// is left during …" and "when is enough free". Times are seconds. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace sluice {

/// The end of all plans; an unlimited span ends there.
inline constexpr std::int64_t plan_end = INT64_MAX;

struct Span {
    std::int64_t start = 0, duration = 0;
    std::uint64_t amount = 0;
    std::int64_t end() const {
        return duration > plan_end - start ? plan_end : start + duration;
    }
    friend bool operator==(const Span&, const Span&) = default;
};

class Timeline {
  public:
    explicit Timeline(std::uint64_t total = 0) : total_(total) {}
    std::uint64_t total() const { return total_; }
    /// The pool grew or shrank; what is in use stays so.
    void set_total(std::uint64_t total) { total_ = total; }

    void add(const Span& span) { change(span, true); }
    /// A span that was added before.
    void remove(const Span& span) { change(span, false); }
    /// The least that is free at any time of [at, at + duration).
    std::uint64_t free_during(std::int64_t at, std::int64_t duration) const;
    bool fits(std::int64_t at, std::int64_t duration, std::uint64_t amount) const {
        return amount <= total_ && free_during(at, duration) >= amount;
    }
    std::uint64_t free_at(std::int64_t at) const { return free_during(at, 1); }
    /// The first moment from `from` on at which something changes. Costs a logarithm.
    std::optional<std::int64_t> next_change(std::int64_t from) const;
    bool idle() const { return points_.empty(); }
    friend bool operator==(const Timeline&, const Timeline&) = default;

  private:
    struct Point {
        std::uint64_t used = 0;  // from this moment to the next point
        std::uint32_t spans = 0;  // spans that start or end here
        friend bool operator==(const Point&, const Point&) = default;
    };
    using Points = std::map<std::int64_t, Point>;
    void change(const Span& span, bool add);
    Points::iterator touch(std::int64_t at);

    std::uint64_t total_;
    Points points_;
};

}  // namespace sluice
