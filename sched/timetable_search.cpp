// The searching part of Timetable.
#include <algorithm>
#include <cmath>

#include "sched/timetable.hpp"

namespace sluice {
namespace {

/// The last start at which a job of `duration` ends before a use that begins at `start`: none of
/// the starts after it do, in the arithmetic of start + duration.
double last_start_before(double start, double duration) {
    if (start == Timetable::running) return start;
    double time = start - duration;
    while (time + duration > start) time = std::nextafter(time, -never);
    return time;
}

}  // namespace

/// Of a node beside what is `busy` (words of cores, then of GPUs; empty: nothing).
NodeRoom Timetable::Row::room_beside(std::span<const Word> busy, bool idle) const {
    NodeRoom room;
    room.cores = static_cast<std::uint32_t>(topology->cores.size());
    room.gpus = static_cast<std::uint32_t>(topology->gpus.size()) & 0x7FFFFFFFu;
    room.idle = idle;
    if (busy.empty()) return room;
    room.cores -= static_cast<std::uint32_t>(bit_count(busy.first(core_words())));
    const auto gpus = static_cast<std::uint32_t>(bit_count(busy.subspan(core_words())));
    room.gpus = (room.gpus - gpus) & 0x7FFFFFFFu;
    return room;
}

std::size_t Timetable::admitted_in(const Row& row, const MatchShape& shape) const {
    const std::span<const Word> admitted = shape.admitted();
    if (admitted.empty()) return row.node_count;
    std::size_t count = 0;
    for (const auto& [first, last] : row.nodes.ranges())
        count += bit_count_between(admitted, first, last);
    return count;
}

/// Events of one row for a search between `from` and `before`; what it has at `from` goes to
/// `total`.
void Timetable::sweep_row(const Row& row, const Query& query, double from, double before,
                          std::int64_t& total) {
    if (!row.up) return;
    const auto each = static_cast<std::int64_t>(query.shape.units_in(row.room_beside({}, true)));
    if (each == 0) return;
    const auto nodes = static_cast<std::int64_t>(admitted_in(row, query.shape));
    if (nodes == 0) return;
    intervals_.clear();
    bool whole = true;
    for (std::size_t i = 0; i < row.uses.size(); ++i) {
        const Use& use = row.uses[i];
        if (use.end <= from || (query.without && use.holder == *query.without)) continue;
        const double after = last_start_before(use.start, query.duration);
        if (after >= before) break;  // uses come by start
        intervals_.push_back({after, use.end, static_cast<std::uint32_t>(i)});
        whole &= use.whole;
    }
    if (intervals_.empty()) total += each * nodes;
    else if (whole || query.shape.exclusive()) sweep_whole(from, before, each * nodes, total);
    else sweep_parts(row, query, from, before, nodes, total);
}

/// Uses of which each takes all: the row has `full` where no interval is.
void Timetable::sweep_whole(double from, double before, std::int64_t full, std::int64_t& total) {
    bool free_at_first = true;
    for (std::size_t i = 0; i < intervals_.size();) {
        const double after = intervals_[i].after;
        double until = intervals_[i++].until;
        for (; i < intervals_.size() && intervals_[i].after < until; ++i)
            until = std::max(until, intervals_[i].until);
        if (after < from) free_at_first = false;
        else events_.push_back({after, true, -full});
        if (until < before) events_.push_back({until, false, full});
    }
    if (free_at_first) total += full;
}

/// What a node of the row gives at `time`, or just after it, beside the intervals.
std::int64_t Timetable::units_beside(const Row& row, const MatchShape& shape, double time,
                                     bool after) {
    busy_.assign(row.stride(), 0);
    bool idle = true;
    for (const Interval& it : intervals_) {
        if (after ? it.after > time : it.after >= time) break;
        if (it.until <= time) continue;
        const std::span<const Word> mask = row.mask(it.use);
        for (std::size_t i = 0; i < mask.size(); ++i) busy_[i] |= mask[i];
        idle = false;
    }
    return static_cast<std::int64_t>(shape.units_in(row.room_beside(busy_, idle)));
}

void Timetable::sweep_parts(const Row& row, const Query& query, double from, double before,
                            std::int64_t nodes, std::int64_t& total) {
    std::vector<std::pair<double, bool>> borders;
    for (const Interval& it : intervals_) {
        if (it.after >= from) borders.emplace_back(it.after, true);
        if (it.until < before) borders.emplace_back(it.until, false);
    }
    std::ranges::sort(borders);
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::int64_t units = units_beside(row, query.shape, from, false);
    total += units * nodes;
    for (const auto& [time, after] : borders) {
        const std::int64_t next = units_beside(row, query.shape, time, after);
        if (next != units) events_.push_back({time, after, (next - units) * nodes});
        units = next;
    }
}

Timetable::Earliest Timetable::earliest(const Query& query, double from, double before) {
    Earliest result;
    if (!(from < before)) return result;
    events_.clear();
    std::int64_t total = 0;
    for (const Row& row : rows_)
        if (row.topology) sweep_row(row, query, from, before, total);
    std::sort(events_.begin(), events_.end());
    const auto wanted = static_cast<std::int64_t>(query.shape.wanted());
    const auto found_at = [&](double time) {
        if (total < wanted) {
            result.most = std::max(result.most, total);
            return false;
        }
        auto found = fit(query, {time, When::later});
        if (found.R) result.slot = Slot{time, time + query.duration, std::move(*found.R)};
        else result.most = wanted;
        return result.slot.has_value();
    };
    if (found_at(from)) return result;
    for (std::size_t i = 0; i < events_.size();) {
        const double time = events_[i].time;
        const bool after = events_[i].after;
        for (; i < events_.size() && events_[i].time == time && events_[i].after == after; ++i)
            total += events_[i].delta;
        if (!after && found_at(time)) return result;
    }
    return result;
}

bool Timetable::in_the_way(const Use& use, const Query& query, Moment moment) {
    if (query.without && use.holder == *query.without) return false;
    if (moment.when == When::now && use.start == running) return true;
    return use.end > moment.time && last_start_before(use.start, query.duration) < moment.time;
}

std::uint64_t Timetable::units_at(const Row& row, const Query& query, Moment moment) {
    bool idle = true;
    for (std::size_t i = 0; i < row.uses.size(); ++i) {
        if (!in_the_way(row.uses[i], query, moment)) continue;
        if (row.uses[i].whole || query.shape.exclusive()) return 0;
        if (std::exchange(idle, false)) busy_.assign(row.stride(), 0);
        const std::span<const Word> mask = row.mask(i);
        for (std::size_t k = 0; k < mask.size(); ++k) busy_[k] |= mask[k];
    }
    return query.shape.units_in(row.room_beside(idle ? std::span<const Word>{} : busy_, idle));
}

/// Words of cores, then of GPUs.
std::vector<Word> Timetable::free_at(const Row& row, const Query& query, Moment moment) const {
    std::vector<Word> free(row.stride());
    for (std::size_t i = 0; i < row.topology->cores.size(); ++i) bit_set(free, i);
    const std::span<Word> gpus = std::span{free}.subspan(row.core_words());
    for (std::size_t i = 0; i < row.topology->gpus.size(); ++i) bit_set(gpus, i);
    for (std::size_t i = 0; i < row.uses.size(); ++i) {
        if (!in_the_way(row.uses[i], query, moment)) continue;
        const std::span<const Word> mask = row.mask(i);
        for (std::size_t k = 0; k < mask.size(); ++k) free[k] &= ~mask[k];
    }
    return free;
}

Timetable::Fit Timetable::fit_now(const Query& query, double now) {
    return fit(query, {now, When::now});
}

Timetable::Fit Timetable::fit(const Query& query, Moment moment) {
    std::vector<Candidate> candidates;
    std::uint64_t total = 0;
    for (const Row& row : rows_) {
        if (!row.topology || !row.up) continue;
        const std::uint64_t units = units_at(row, query, moment);
        if (units == 0) continue;
        total += units * admitted_in(row, query.shape);
        candidates.push_back({&row, units, {}});
    }
    const auto most = static_cast<std::int64_t>(total);
    if (total < query.shape.wanted()) return {std::nullopt, most};
    return {choose(query, moment, std::move(candidates)), most};
}

/// Of all offers those that the shape chooses, and who made them.
bool Timetable::keep_chosen(const MatchShape& shape, std::vector<NodeUnits>& offers,
                            std::vector<Candidate*>& offered_by) {
    auto chosen = shape.choose(offers);
    if (!chosen) return false;
    std::vector<Candidate*> chosen_by;
    std::size_t at = 0;
    for (const NodeUnits& taken : *chosen) {  // in the order of the offers
        while (offers[at].node != taken.node) ++at;
        chosen_by.push_back(offered_by[at]);
    }
    offers = *std::move(chosen);
    offered_by = std::move(chosen_by);
    return true;
}

std::optional<ResourceSet> Timetable::choose(const Query& query, Moment moment,
                                             std::vector<Candidate> candidates) const {
    struct Piece {
        Idset::Range nodes;
        Candidate* candidate;
    };
    const bool up = query.shape.order() == NodeOrder::lowest_first;
    std::vector<Piece> pieces;
    for (Candidate& candidate : candidates)
        for (const Idset::Range& range : candidate.row->nodes.ranges())
            pieces.push_back({range, &candidate});
    std::ranges::sort(pieces, [up](const Piece& a, const Piece& b) {
        return up ? a.nodes.first < b.nodes.first : a.nodes.first > b.nodes.first;
    });
    const bool all = query.shape.grouped();
    const std::uint64_t wanted = query.shape.wanted();
    std::vector<NodeUnits> offers;
    std::vector<Candidate*> offered_by;
    std::uint64_t found = 0;
    for (const auto& [nodes, candidate] : pieces) {
        for (std::uint64_t i = 0; i <= nodes.last - nodes.first; ++i) {
            if (!all && found >= wanted) break;
            const std::size_t node = up ? nodes.first + i : nodes.last - i;
            if (!query.shape.admits(node)) continue;
            const std::uint64_t units = candidate->units;
            offers.push_back({node, all ? units : std::min(units, wanted - found)});
            offered_by.push_back(candidate);
            found += offers.back().units;
        }
    }
    if (found < wanted) return std::nullopt;
    if (all && !keep_chosen(query.shape, offers, offered_by)) return std::nullopt;
    ResourceSet R;
    for (std::size_t k = 0; k < offers.size(); ++k) {
        const std::size_t i = up ? k : offers.size() - 1 - k;  // in rank order
        const Row& row = *offered_by[i]->row;
        if (offered_by[i]->free.empty()) offered_by[i]->free = free_at(row, query, moment);
        const std::span<const Word> free{offered_by[i]->free};
        R.add(query.shape.pick(*inventory_, offers[i], free.first(row.core_words()),
                               free.subspan(row.core_words())));
    }
    return R;
}

}  // namespace sluice
