// The searching part of Plan: what fits now, and when something will.
#include <algorithm>
#include <cmath>

#include "sched/plan.hpp"

namespace sluice {
namespace {

/// Times that are matched one after the other before a sure one is taken.
constexpr int matches_max = 16;

double just_after(double time) { return std::nextafter(time, never); }

}  // namespace

std::optional<ResourceSet> Plan::match(const MatchShape& shape, const Inventory& inventory) {
    ++match_count_;
    auto found = shape.match(inventory);
    if (auto* R = std::get_if<ResourceSet>(&found)) return std::move(*R);
    return std::nullopt;
}

/// Are so many of the `idle` nodes free of reservations for as long as the demand lasts? False is
/// certain.
bool Plan::enough_nodes(const Demand& demand, const std::vector<Word>& idle, double time) const {
    std::vector<const std::vector<Word>*> kept;
    for (const auto& [start, id] : starts_) {
        if (start >= time + demand.duration) break;
        const Reservation& reservation = reservations_.at(id);
        if (reservation.slot.end > time) kept.push_back(&reservation.nodes);
    }
    std::int64_t count = 0;
    for (std::size_t i = 0; i < idle.size(); ++i) {
        Word free = idle[i] & up_[i];
        if (demand.admitted) free &= (*demand.admitted)[i];
        for (std::size_t k = 0; k < kept.size() && free; ++k) free &= ~(*kept[k])[i];
        count += std::popcount(free);
        if (count >= demand.least.nodes) return true;
    }
    return false;
}

std::optional<ResourceSet> Plan::fit_now(const Demand& demand, double now) {
    const double until = now + demand.duration;
    if (!keeps_before(until)) return match(demand.shape, inventory_);
    refresh_profile(now);
    if (!profile_.first_fit(demand.least, demand.duration, now, just_after(now)))
        return std::nullopt;
    // Nodes of overdue jobs pass here; the match rules them out.
    if (demand.least.nodes && !enough_nodes(demand, times_.idle_from(now), now))
        return std::nullopt;
    if (now_view_.version != version_ || now_view_.time > until) {
        now_view_.inventory = inventory_;
        now_view_.version = version_;
        now_view_.time = 0;
    }
    std::vector<const ResourceSet*> kept;
    for (auto at = starts_.lower_bound({now_view_.time, JobId{0}});
         at != starts_.end() && at->first < until; ++at)
        kept.push_back(&reservations_.at(at->second).slot.R);
    now_view_.inventory.allocate(kept);
    now_view_.time = until;
    return match(demand.shape, now_view_.inventory);
}

void Plan::refresh_profile(double now) {
    if (profile_version_ == version_ && !overdue(now)) return;
    Supply free{static_cast<std::int64_t>(inventory_.free_count().nodes),
                static_cast<std::int64_t>(inventory_.free_count().cores),
                static_cast<std::int64_t>(inventory_.free_count().gpus)};
    std::vector<SupplyProfile::Change> changes;
    changes.reserve(ends_.size());
    for (const auto& [key, job] : ends_) {
        Supply more = job->all;
        more.nodes = 0;  // those where it is the last
        for (const NodeIndex node : job->nodes) more.nodes += times_.idle_at(node) <= key.first;
        if (key.first <= now) free += more;
        else changes.push_back({key.first, more});
    }
    profile_.build(now, free, changes);
    for (const auto& [id, reservation] : reservations_)
        profile_.add(reservation.slot.start, reservation.slot.end, -reservation.whole);
    profile_version_ = version_;
}

/// What is free at `time` of what jobs hold now, with nothing reserved.
const Inventory& Plan::free_at(double time, double now) {
    const double reached = std::max(time, now);
    auto from = ends_.begin();
    if (free_view_.version != running_version_ || free_view_.time > reached) {
        free_view_.inventory = inventory_;
        free_view_.version = running_version_;
    } else {
        from = ends_.upper_bound({free_view_.time, JobId{~std::uint64_t{0}}});
    }
    std::vector<const ResourceSet*> ended;
    for (; from != ends_.end() && from->first.first <= reached; ++from)
        ended.push_back(&from->second->R);
    free_view_.inventory.free(ended);
    free_view_.time = reached;
    return free_view_.inventory;
}

std::optional<ResourceSet> Plan::match_at(const Demand& demand, double time, double now) {
    const Inventory& free = free_at(time, now);
    std::vector<const ResourceSet*> kept;
    for (const auto& [start, id] : starts_) {
        if (start >= time + demand.duration) break;
        const Slot& slot = reservations_.at(id).slot;
        if (slot.end > time) kept.push_back(&slot.R);
    }
    if (kept.empty()) return match(demand.shape, free);
    window_ = free;
    window_.allocate(kept);
    return match(demand.shape, window_);
}

/// When enough will be free if reservations are left aside: a bound for all further search, found
/// by halving since what is free then only grows.
std::optional<double> Plan::first_without_reservations(const Demand& demand, double after,
                                                       double before, double now) {
    const std::vector<double> times = profile_.changes_between(after, before);
    if (times.empty() || !match(demand.shape, free_at(times.back(), now))) return std::nullopt;
    std::size_t low = 0, high = times.size() - 1;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (match(demand.shape, free_at(times[middle], now))) high = middle;
        else low = middle + 1;
    }
    return times[low];
}

double Plan::last_reserved_end() const {
    double last = 0;
    for (const auto& [id, reservation] : reservations_)
        last = std::max(last, reservation.slot.end);
    return last;
}

std::optional<Slot> Plan::earliest(const Demand& demand, double now, double before) {
    refresh_profile(now);
    double from = std::max(overdue(now) ? now : just_after(now), demand.not_before);
    bool bounded = false;
    for (int matches = 0; matches < matches_max;) {
        // A start is where something ends: between two changes nothing new becomes free.
        if (from > now) {
            const auto change = profile_.next_change(std::nextafter(from, 0));
            if (!change) return std::nullopt;
            from = *change;
        }
        const auto time = profile_.first_fit(demand.least, demand.duration, from, before);
        if (!time) return std::nullopt;
        from = just_after(*time);
        if (demand.least.nodes && !enough_nodes(demand, times_.idle_from(*time), *time)) continue;
        ++matches;
        if (auto R = match_at(demand, *time, now))
            return Slot{*time, *time + demand.duration, std::move(*R)};
        if (std::exchange(bounded, true)) continue;
        const auto bound = first_without_reservations(demand, *time, before, now);
        if (!bound) return std::nullopt;
        from = *bound;
    }
    const double sure = std::max(from, last_reserved_end());
    if (!(sure < before)) return std::nullopt;
    if (auto R = match_at(demand, sure, now))
        return Slot{sure, sure + demand.duration, std::move(*R)};
    return std::nullopt;
}

bool Plan::may_improve(JobId id, const Demand& demand, double now, double before) {
    const auto found = reservations_.find(id);
    if (found == reservations_.end()) return false;
    const Slot& slot = found->second.slot;
    if (slot.start <= now) return true;
    refresh_profile(now);
    profile_.add(slot.start, slot.end, found->second.whole);
    const bool may = profile_
                         .first_fit(demand.least, demand.duration, now,
                                    std::min(slot.start, before))
                         .has_value();
    profile_.add(slot.start, slot.end, -found->second.whole);
    return may;
}

}  // namespace sluice
