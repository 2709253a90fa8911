#include "resource/plan/timeline.hpp"

#include <algorithm>
#include <iterator>

#include "base/assert.hpp"

namespace sluice {

Timeline::Points::iterator Timeline::touch(std::int64_t at) {
    const auto [point, is_new] = points_.try_emplace(at);
    if (is_new && point != points_.begin()) point->second.used = std::prev(point)->second.used;
    return point;
}

void Timeline::change(const Span& span, bool add) {
    if (span.duration <= 0) return;
    const auto first = touch(span.start), last = touch(span.end());
    for (auto at = first; at != last; ++at) {
        SLUICE_ASSERT(add || at->second.used >= span.amount);
        at->second.used = add ? at->second.used + span.amount : at->second.used - span.amount;
    }
    for (const auto point : {first, last}) {
        if (add) {
            ++point->second.spans;
        } else if (point->second.spans <= 1) {
            points_.erase(point);
        } else {
            --point->second.spans;
        }
    }
}

std::uint64_t Timeline::free_during(std::int64_t at, std::int64_t duration) const {
    const std::int64_t end = Span{at, duration, 0}.end();
    std::uint64_t used = 0;
    auto point = points_.upper_bound(at);
    if (point != points_.begin()) used = std::prev(point)->second.used;
    for (; point != points_.end() && point->first < end; ++point)
        used = std::max(used, point->second.used);
    return used >= total_ ? 0 : total_ - used;
}

std::optional<std::int64_t> Timeline::next_change(std::int64_t from) const {
    const auto point = points_.lower_bound(from);
    if (point == points_.end() || point->first == plan_end) return std::nullopt;
    return point->first;
}

}  // namespace sluice
