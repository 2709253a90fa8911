#include "sched/plan.hpp"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

/// Times that are tried one after the other before a sure one is taken.
constexpr int probes_max = 32;

double just_after(double time) { return std::nextafter(time, never); }

}  // namespace

void Plan::define(const ResourceSet& R, const LocalityMap& locality, const Idset& up) {
    inventory_ = Inventory(R, locality);
    inventory_.set_up(up, true);
    // A job may hold more than the new resources have; what overlaps is counted once.
    for (const auto& [id, job] : running_) (void)inventory_.allocate(job.R);
    drop_reservations();
    gained();
}

void Plan::set_up(const Idset& ranks, bool up) {
    inventory_.set_up(ranks, up);
    gained();
}

/// All that R may add to what is free: a node counts as idle with its last part.
Supply Plan::all_of(const ResourceSet& R) const {
    return {static_cast<std::int64_t>(R.node_count()), static_cast<std::int64_t>(R.core_count()),
            static_cast<std::int64_t>(R.gpu_count())};
}

/// What R surely takes of what is free: only of nodes that it fills.
Supply Plan::whole_of(const ResourceSet& R) const {
    Supply supply = all_of(R);
    supply.nodes = 0;
    for (const ResourceSet::Node& part : R.nodes()) {
        const auto node = inventory_.node_of_rank(part.rank);
        supply.nodes += node && part.cores.size() == inventory_.topology(*node).cores.size();
    }
    return supply;
}

Result<void> Plan::run(JobId id, ResourceSet R, double end) {
    auto fresh = inventory_.allocate(R);
    if (now_view_.version == version_) (void)now_view_.inventory.allocate(R);
    if (free_view_.version == version_ && end > free_view_.time)
        (void)free_view_.inventory.allocate(R);
    if (profile_version_ == version_) profile_.add(R.starttime, end, -whole_of(R));
    if (end < never) ends_.emplace(end, id);
    running_.insert_or_assign(id, Running{std::move(R), end});
    return fresh;
}

const ResourceSet* Plan::held_by(JobId id) const {
    const auto found = running_.find(id);
    return found == running_.end() ? nullptr : &found->second.R;
}

void Plan::free_part(JobId id, const ResourceSet& R) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    ResourceSet& held = found->second.R;
    inventory_.free(held & R);
    ResourceSet rest = held - R;
    rest.starttime = held.starttime;
    rest.expiration = held.expiration;
    held = std::move(rest);
    gained();
}

void Plan::finish(JobId id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    inventory_.free(found->second.R);
    ends_.erase({found->second.end, id});
    running_.erase(found);
    gained();
}

void Plan::set_end(JobId id, double end) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    ends_.erase({found->second.end, id});
    found->second.end = end;
    if (end < never) ends_.emplace(end, id);
    gained();
}

std::optional<ResourceSet> Plan::match(const MatchShape& shape, const Inventory& inventory) {
    ++match_count_;
    auto found = shape.match(inventory);
    if (auto* R = std::get_if<ResourceSet>(&found)) return std::move(*R);
    return std::nullopt;
}

std::optional<ResourceSet> Plan::fit_now(const MatchShape& shape, double until) {
    if (!keeps_before(until)) return match(shape, inventory_);
    if (now_view_.version != version_ || now_view_.time > until) {
        now_view_.inventory = inventory_;
        now_view_.version = version_;
        now_view_.time = 0;
    }
    for (auto at = starts_.lower_bound({now_view_.time, JobId{0}});
         at != starts_.end() && at->first < until; ++at)
        (void)now_view_.inventory.allocate(reservations_.at(at->second).R);
    now_view_.time = until;
    return match(shape, now_view_.inventory);
}

void Plan::refresh_profile(double now) {
    if (profile_version_ == version_ && !overdue(now)) return;
    Supply free{static_cast<std::int64_t>(inventory_.free_count().nodes),
                static_cast<std::int64_t>(inventory_.free_count().cores),
                static_cast<std::int64_t>(inventory_.free_count().gpus)};
    std::vector<SupplyProfile::Change> changes;
    changes.reserve(ends_.size());
    for (const auto& [end, id] : ends_) {
        const Supply more = all_of(running_.at(id).R);
        if (end <= now) free += more;
        else changes.push_back({end, more});
    }
    profile_.build(now, free, changes);
    for (const auto& [id, slot] : reservations_)
        profile_.add(slot.start, slot.end, -whole_of(slot.R));
    profile_version_ = version_;
}

/// What is free at `time` of what jobs hold now, with nothing reserved.
const Inventory& Plan::free_at(double time, double now) {
    const double reached = std::max(time, now);
    auto from = ends_.begin();
    if (free_view_.version != version_ || free_view_.time > reached) {
        free_view_.inventory = inventory_;
        free_view_.version = version_;
    } else {
        from = ends_.upper_bound({free_view_.time, JobId{~std::uint64_t{0}}});
    }
    for (; from != ends_.end() && from->first <= reached; ++from)
        free_view_.inventory.free(running_.at(from->second).R);
    free_view_.time = reached;
    return free_view_.inventory;
}

std::optional<ResourceSet> Plan::match_at(const Demand& demand, double time, double now) {
    const Inventory* view = &free_at(time, now);
    bool own = false;
    for (const auto& [start, id] : starts_) {
        if (start >= time + demand.duration) break;
        const Slot& slot = reservations_.at(id);
        if (slot.end <= time) continue;
        if (!std::exchange(own, true)) window_ = *view;
        (void)window_.allocate(slot.R);
    }
    return match(demand.shape, own ? window_ : *view);
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
    for (const auto& [id, slot] : reservations_) last = std::max(last, slot.end);
    return last;
}

std::optional<Slot> Plan::earliest(const Demand& demand, double now, double before) {
    refresh_profile(now);
    double from = std::max(overdue(now) ? now : just_after(now), demand.not_before);
    bool bounded = false;
    for (int probes = 0; probes < probes_max; ++probes) {
        // A start is where something ends: between two changes nothing new becomes free.
        if (from > now) {
            const auto change = profile_.next_change(std::nextafter(from, 0));
            if (!change) return std::nullopt;
            from = *change;
        }
        const auto time = profile_.first_fit(demand.least, demand.duration, from, before);
        if (!time) return std::nullopt;
        if (auto R = match_at(demand, *time, now))
            return Slot{*time, *time + demand.duration, std::move(*R)};
        from = just_after(*time);
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

bool Plan::may_improve(JobId id, const Demand& demand, double now) {
    const Slot* slot = reservation(id);
    if (!slot) return false;
    if (slot->start <= now) return true;
    refresh_profile(now);
    const Supply own = whole_of(slot->R);
    profile_.add(slot->start, slot->end, own);
    const bool may =
        profile_.first_fit(demand.least, demand.duration, now, slot->start).has_value();
    profile_.add(slot->start, slot->end, -own);
    return may;
}

void Plan::reserve(JobId id, Slot slot) {
    if (profile_version_ == version_) profile_.add(slot.start, slot.end, -whole_of(slot.R));
    if (now_view_.version == version_ && slot.start < now_view_.time)
        (void)now_view_.inventory.allocate(slot.R);
    starts_.emplace(slot.start, id);
    reservations_.insert_or_assign(id, std::move(slot));
}

const Slot* Plan::reservation(JobId id) const {
    const auto found = reservations_.find(id);
    return found == reservations_.end() ? nullptr : &found->second;
}

std::optional<Slot> Plan::take_reservation(JobId id) {
    const auto found = reservations_.find(id);
    if (found == reservations_.end()) return std::nullopt;
    Slot slot = std::move(found->second);
    starts_.erase({slot.start, id});
    reservations_.erase(found);
    const bool fresh = profile_version_ == version_;
    gained();
    if (!fresh) return slot;
    profile_.add(slot.start, slot.end, whole_of(slot.R));
    profile_version_ = version_;
    return slot;
}

void Plan::drop_reservations() {
    if (reservations_.empty()) return;
    reservations_.clear();
    starts_.clear();
    gained();
}

}  // namespace sluice
