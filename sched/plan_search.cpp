// The searching part of Plan: what fits now, and when something will.
#include "sched/plan.hpp"

namespace sluice {

std::optional<ResourceSet> Plan::match(const MatchShape& shape, const Inventory& inventory) {
    auto found = shape.match(inventory);
    if (auto* R = std::get_if<ResourceSet>(&found)) return std::move(*R);
    return std::nullopt;
}

std::optional<ResourceSet> Plan::fit_now(const Demand& demand, double now,
                                         std::optional<JobId> holder) {
    ++match_count_;
    shortage_ = {};
    if (!keeps_before(now + demand.duration)) return match(demand.shape, inventory_);
    auto found = table().fit_now({demand.shape, demand.duration, holder}, now);
    shortage_ = shortage_of(demand, found.most);
    return std::move(found.R);
}

Shortage Plan::shortage_of(const Demand& demand, std::int64_t most) const {
    return {static_cast<std::int64_t>(demand.shape.wanted()) - most, demand.duration, given_back_};
}

std::optional<Slot> Plan::earliest(const Demand& demand, double now, double before) {
    ++match_count_;
    auto found = table().earliest({demand.shape, demand.duration, {}}, now, before);
    shortage_ = shortage_of(demand, found.most);
    return std::move(found.slot);
}

std::optional<Slot> Plan::earlier(JobId id, const Demand& demand, double now) {
    Reservation& reservation = reservations_.at(id);
    ++match_count_;
    auto found = table().earliest({demand.shape, demand.duration, id}, now, reservation.slot.start);
    reservation.shortage = shortage_ = shortage_of(demand, found.most);
    return std::move(found.slot);
}

bool Plan::may_improve(JobId id, const Demand& demand, double now) const {
    const auto found = reservations_.find(id);
    if (found == reservations_.end()) return false;
    const Reservation& reservation = found->second;
    return reservation.slot.start <= now || !still_short(reservation.shortage, demand);
}

bool Plan::still_short(const Shortage& shortage, const Demand& demand) const {
    if (demand.duration < shortage.duration) return false;
    // A node given back adds one node at most, a core or a GPU one slot at most; where slots get
    // whole nodes, a core given back may add many.
    if (demand.shape.exclusive() && !demand.shape.by_node()) return false;
    const Supply more = given_back_ - shortage.given_back;
    return (demand.shape.by_node() ? more.nodes : more.cores + more.gpus) < shortage.units;
}

}  // namespace sluice
