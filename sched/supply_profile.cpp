#include "sched/supply_profile.hpp"

#include <algorithm>

namespace sluice {

Supply least_of(const ResourceRequest& request, bool exclusive) {
    Supply least{0, static_cast<std::int64_t>(request.cores()),
                 static_cast<std::int64_t>(request.gpus())};
    if (exclusive) least.nodes = request.nodes ? request.nodes : 1;
    return least;
}

void SupplyProfile::build(double now, const Supply& free, std::span<const Change> changes) {
    steps_.clear();
    steps_.push_back({now, free});
    for (const Change& change : changes) {
        if (change.time > steps_.back().time)
            steps_.push_back({change.time, steps_.back().free});
        steps_.back().free += change.more;
    }
}

/// The step that holds at `time`; the first one also before it.
std::size_t SupplyProfile::step_at(double time) const {
    const auto after = std::ranges::upper_bound(steps_, time, {}, &Step::time);
    return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
}

/// The step that begins at `time`, made if there is none.
std::size_t SupplyProfile::break_at(double time) {
    const std::size_t at = step_at(time);
    if (steps_[at].time >= time) return at;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at) + 1, {time, steps_[at].free});
    return at + 1;
}

void SupplyProfile::add(double from, double to, const Supply& more) {
    if (!(from < to)) return;
    const std::size_t first = break_at(from);
    const std::size_t last = to == never ? steps_.size() : break_at(to);
    for (std::size_t i = first; i < last; ++i) steps_[i].free += more;
}

std::optional<double> SupplyProfile::first_fit(const Supply& need, double duration, double from,
                                               double before) const {
    std::size_t at = step_at(from);
    double start = std::max(from, steps_[at].time);
    for (; at < steps_.size(); ++at) {
        if (start >= before) return std::nullopt;
        if (!steps_[at].free.covers(need)) {
            if (at + 1 < steps_.size()) start = steps_[at + 1].time;
            continue;
        }
        if (at + 1 == steps_.size() || steps_[at + 1].time >= start + duration) return start;
    }
    return std::nullopt;
}

std::optional<double> SupplyProfile::next_change(double time) const {
    const auto after = std::ranges::upper_bound(steps_, time, {}, &Step::time);
    return after == steps_.end() ? std::nullopt : std::optional{after->time};
}

std::vector<double> SupplyProfile::changes_between(double after, double before) const {
    std::vector<double> times;
    for (auto step = std::ranges::upper_bound(steps_, after, {}, &Step::time);
         step != steps_.end() && step->time < before; ++step)
        times.push_back(step->time);
    return times;
}

}  // namespace sluice
