#include "sched/plan.hpp"

#include <algorithm>

namespace sluice {

void Plan::gained() {
    ++version_;
    ++running_version_;
}

void Plan::define(const ResourceSet& R, const LocalityMap& locality, const Idset& up) {
    inventory_ = Inventory(R, locality);
    times_.reset(inventory_.node_count());
    up_.assign(words_for(inventory_.node_count()), 0);
    drop_reservations();
    // A job may hold more than the new resources have; what overlaps is counted once.
    for (auto& [id, job] : running_) {
        (void)inventory_.allocate(job.R);
        job.nodes = nodes_of(job.R);
        times_.add(id, job.nodes, job.end);
    }
    set_up(up, true);
}

void Plan::set_up(const Idset& ranks, bool up) {
    inventory_.set_up(ranks, up);
    for (const std::uint32_t rank : ranks)
        if (const auto node = inventory_.node_of_rank(rank))
            up ? bit_set(up_, *node) : bit_clear(up_, *node);
    gained();
}

std::vector<NodeIndex> Plan::nodes_of(const ResourceSet& R) const {
    std::vector<NodeIndex> nodes;
    nodes.reserve(R.node_count());
    for (const ResourceSet::Node& part : R.nodes())
        if (const auto node = inventory_.node_of_rank(part.rank))
            nodes.push_back(static_cast<NodeIndex>(*node));
    return nodes;
}

/// What R surely takes of what is free: only nodes that it fills.
Supply Plan::whole_of(const ResourceSet& R) const {
    Supply supply;
    for (const ResourceSet::Node& part : R.nodes()) {
        const std::size_t cores = part.cores.size();
        supply.cores += static_cast<std::int64_t>(cores);
        supply.gpus += static_cast<std::int64_t>(part.gpus.size());
        const auto node = inventory_.node_of_rank(part.rank);
        supply.nodes += node && cores == inventory_.topology(*node).cores.size();
    }
    return supply;
}

Result<void> Plan::run(JobId id, ResourceSet R, double end) {
    finish(id);
    auto fresh = inventory_.allocate(R);
    if (now_view_.version == version_) (void)now_view_.inventory.allocate(R);
    if (free_view_.version == running_version_ && end > free_view_.time)
        (void)free_view_.inventory.allocate(R);
    const Supply whole = whole_of(R);
    if (profile_version_ == version_) profile_.add(R.starttime, end, -whole);
    Running& job = running_[id];
    job.nodes = nodes_of(R);
    job.all = {static_cast<std::int64_t>(job.nodes.size()), whole.cores, whole.gpus};
    job.end = end;
    job.R = std::move(R);
    times_.add(id, job.nodes, end);
    if (end < never) ends_.emplace(std::pair{end, id}, &job);
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
    job.R = std::move(rest);
    times_.remove(id, job.nodes);
    job.nodes = nodes_of(job.R);
    times_.add(id, job.nodes, job.end);
    const Supply whole = whole_of(job.R);
    job.all = {static_cast<std::int64_t>(job.nodes.size()), whole.cores, whole.gpus};
    gained();
}

void Plan::finish(JobId id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    inventory_.free(found->second.R);
    times_.remove(id, found->second.nodes);
    ends_.erase({found->second.end, id});
    running_.erase(found);
    gained();
}

void Plan::set_end(JobId id, double end) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    Running& job = found->second;
    ends_.erase({job.end, id});
    times_.remove(id, job.nodes);
    job.end = end;
    times_.add(id, job.nodes, end);
    if (end < never) ends_.emplace(std::pair{end, id}, &job);
    gained();
}

void Plan::reserve(JobId id, Slot slot) {
    Reservation& reservation = reservations_[id];
    reservation.whole = whole_of(slot.R);
    reservation.nodes.assign(words_for(inventory_.node_count()), 0);
    for (const NodeIndex node : nodes_of(slot.R)) bit_set(reservation.nodes, node);
    if (profile_version_ == version_) profile_.add(slot.start, slot.end, -reservation.whole);
    if (now_view_.version == version_ && slot.start < now_view_.time)
        (void)now_view_.inventory.allocate(slot.R);
    starts_.emplace(slot.start, id);
    reservation.slot = std::move(slot);
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
    const bool fresh = profile_version_ == version_;
    ++version_;
    if (fresh) {
        profile_.add(slot.start, slot.end, found->second.whole);
        profile_version_ = version_;
    }
    starts_.erase({slot.start, id});
    reservations_.erase(found);
    return slot;
}

void Plan::drop_reservations() {
    reservations_.clear();
    starts_.clear();
    ++version_;
}

}  // namespace sluice
