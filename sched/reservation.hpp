// When will a job that does not fit now find its resources? Plays the ends of running jobs forward
// on a copy of the inventory.
#pragma once

#include <optional>
#include <vector>

#include "base/rfc/resource_set.hpp"
#include "resource/inventory.hpp"
#include "resource/match/matcher.hpp"

namespace sluice {

struct RunningSpan {
    double end = 0;  // seconds since the epoch
    const ResourceSet* R = nullptr;
};
struct Reservation {
    double at = 0;
    ResourceSet R;
};

/// `running`: the jobs that have an end. Jobs past their end count as ending at `now`.
std::optional<Reservation> earliest_start(const MatchShape& shape, Inventory plan,
                                          std::vector<RunningSpan> running, double now);

}  // namespace sluice
