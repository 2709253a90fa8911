#include "sched/reservation.hpp"

#include <algorithm>

namespace sluice {

std::optional<Reservation> earliest_start(const MatchShape& shape, Inventory plan,
                                          std::vector<RunningSpan> running, double now) {
    std::ranges::sort(running, {}, &RunningSpan::end);
    for (std::size_t i = 0; i < running.size();) {
        const double end = running[i].end;
        for (; i < running.size() && running[i].end == end; ++i) plan.free(*running[i].R);
        auto found = shape.match(plan);
        if (auto* R = std::get_if<ResourceSet>(&found))
            return Reservation{std::max(end, now), std::move(*R)};
    }
    return std::nullopt;
}

}  // namespace sluice
