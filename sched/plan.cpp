#include "sched/plan.hpp"

namespace sluice {

void Plan::define(const ResourceSet& R, const LocalityMap& locality, const Idset& up) {
    inventory_ = Inventory(R, locality);
    tabled_ = false;
    drop_reservations();
    // A job may hold more than the new resources have; what overlaps is counted once.
    for (auto& [id, job] : running_) (void)inventory_.allocate(job.R);
    set_up(up, true);
}

void Plan::set_up(const Idset& ranks, bool up) {
    inventory_.set_up(ranks, up);
    gave_back(inventory_.all());
    if (!tabled_) return;
    for (const std::uint32_t rank : ranks)
        if (const auto node = inventory_.node_of_rank(rank))
            table_.set_up(static_cast<NodeIndex>(*node), up);
}

/// The timetable, made when it is first needed.
Timetable& Plan::table() {
    if (std::exchange(tabled_, true)) return table_;
    table_.reset(inventory_);
    for (const auto& [id, job] : running_) table_.add(id, job.R, Timetable::running, job.end);
    for (const auto& [id, held] : reservations_)
        table_.add(id, held.slot.R, held.slot.start, held.slot.end);
    return table_;
}

void Plan::gave_back(const ResourceSet& R) { given_back_ += amount_of(R); }

Result<void> Plan::run(JobId id, ResourceSet R, double end) {
    finish(id);
    auto fresh = inventory_.allocate(R);
    if (tabled_) table_.add(id, R, Timetable::running, end);
    running_[id] = {std::move(R), end};
    return fresh;
}

const ResourceSet* Plan::held_by(JobId id) const {
    const auto found = running_.find(id);
    return found == running_.end() ? nullptr : &found->second.R;
}

double Plan::end_of(JobId id) const {
    const auto found = running_.find(id);
    return found == running_.end() ? never : found->second.end;
}

void Plan::free_part(JobId id, const ResourceSet& R) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    Running& job = found->second;
    inventory_.free(job.R & R);
    ResourceSet rest = job.R - R;
    rest.starttime = job.R.starttime;
    rest.expiration = job.R.expiration;
    if (tabled_) {
        table_.remove(id, job.R);
        table_.add(id, rest, Timetable::running, job.end);
    }
    gave_back(job.R);
    job.R = std::move(rest);
}

void Plan::finish(JobId id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    inventory_.free(found->second.R);
    if (tabled_) table_.remove(id, found->second.R);
    gave_back(found->second.R);
    running_.erase(found);
}

void Plan::set_end(JobId id, double end) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    Running& job = found->second;
    job.end = end;
    gave_back(job.R);
    if (!tabled_) return;
    table_.remove(id, job.R);
    table_.add(id, job.R, Timetable::running, end);
}

void Plan::reserve(JobId id, Slot slot, Shortage shortage) {
    table().add(id, slot.R, slot.start, slot.end);
    starts_.emplace(slot.start, id);
    reservations_[id] = {std::move(slot), shortage};
}

const Slot* Plan::reservation(JobId id) const {
    const auto found = reservations_.find(id);
    return found == reservations_.end() ? nullptr : &found->second.slot;
}

std::vector<JobId> Plan::reservation_holders() const {
    std::vector<JobId> holders;
    for (const auto& [start, id] : starts_) holders.push_back(id);
    return holders;
}

std::optional<Slot> Plan::take_reservation(JobId id) {
    const auto found = reservations_.find(id);
    if (found == reservations_.end()) return std::nullopt;
    Slot slot = std::move(found->second.slot);
    table().remove(id, slot.R);
    gave_back(slot.R);
    starts_.erase({slot.start, id});
    reservations_.erase(found);
    return slot;
}

void Plan::drop_reservations() {
    for (const auto& [id, held] : reservations_)
        if (tabled_) table_.remove(id, held.slot.R);
    reservations_.clear();
    starts_.clear();
}

}  // namespace sluice
