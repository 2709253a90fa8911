#include "sched/timetable.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace sluice {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/// Sets the bits of `ids` in `words`, which stand for `known`, ascending.
void set_bits(std::span<Word> words, const std::vector<Idset::Id>& known, const Idset& ids) {
    for (const auto& [first, last] : ids.ranges()) {
        auto at = static_cast<std::size_t>(std::ranges::lower_bound(known, first) - known.begin());
        for (; at < known.size() && known[at] <= last; ++at) bit_set(words, at);
    }
}

}  // namespace

bool Timetable::Row::same_use(const Row& other) const {
    return topology == other.topology && up == other.up && uses == other.uses &&
           masks == other.masks;
}

std::uint64_t Timetable::hash_of(const Row& row) {
    std::uint64_t hash = mix(row.up, std::bit_cast<std::uintptr_t>(row.topology));
    for (const Use& use : row.uses) {
        hash = mix(hash, use.holder.value);
        hash = mix(hash, std::bit_cast<std::uint64_t>(use.start));
        hash = mix(hash, std::bit_cast<std::uint64_t>(use.end));
    }
    for (const Word word : row.masks) hash = mix(hash, word);
    return hash;
}

void Timetable::reset(const Inventory& inventory) {
    inventory_ = &inventory;
    rows_.clear();
    spare_.clear();
    by_hash_.clear();
    row_of_node_.assign(inventory.node_count(), 0);
    std::map<std::pair<const NodeTopology*, bool>, RowId> row_of_kind;
    for (NodeIndex node = 0; node < inventory.node_count(); ++node) {
        const NodeTopology* topology = &inventory.topology(node);
        const bool up = inventory.up(node);
        const auto [found, is_new] = row_of_kind.try_emplace({topology, up}, RowId{0});
        if (is_new) {
            found->second = new_row();
            rows_[found->second].topology = topology;
            rows_[found->second].up = up;
        }
        row_of_node_[node] = found->second;
        rows_[found->second].nodes.insert(node);
        ++rows_[found->second].node_count;
    }
    for (const auto& [kind, row] : row_of_kind) settle(row);
}

Timetable::RowId Timetable::new_row() {
    if (spare_.empty()) {
        rows_.emplace_back();
        return static_cast<RowId>(rows_.size() - 1);
    }
    const RowId id = spare_.back();
    spare_.pop_back();
    return id;
}

/// Takes the row out of the index, before its use changes.
void Timetable::unlist(RowId id) {
    const auto [first, last] = by_hash_.equal_range(rows_[id].hash);
    const auto found = std::find_if(first, last, [&](const auto& it) { return it.second == id; });
    if (found != last) by_hash_.erase(found);
}

void Timetable::move_nodes(RowId from, RowId to) {
    for (const NodeIndex node : rows_[from].nodes) row_of_node_[node] = to;
    rows_[to].nodes |= rows_[from].nodes;
    rows_[to].node_count += rows_[from].node_count;
    rows_[from] = {};
    spare_.push_back(from);
}

/// Enters a changed row in the index, or joins it with the one that is like it.
void Timetable::settle(RowId id) {
    Row& row = rows_[id];
    row.hash = hash_of(row);
    const auto [first, last] = by_hash_.equal_range(row.hash);
    for (auto at = first; at != last; ++at) {
        if (!row.same_use(rows_[at->second])) continue;
        if (row.node_count <= rows_[at->second].node_count) return move_nodes(id, at->second);
        const RowId other = std::exchange(at->second, id);
        return move_nodes(other, id);
    }
    by_hash_.emplace(row.hash, id);
}

void Timetable::add_use(RowId id, const Use& use, std::span<const Word> mask) {
    Row& row = rows_[id];
    const auto before = [](const Use& a, const Use& b) {
        return std::pair{a.start, a.holder} < std::pair{b.start, b.holder};
    };
    const auto at = std::ranges::upper_bound(row.uses, use, before) - row.uses.begin();
    row.uses.insert(row.uses.begin() + at, use);
    row.masks.insert(row.masks.begin() + at * static_cast<std::ptrdiff_t>(row.stride()),
                     mask.begin(), mask.end());
}

/// What a part takes of a node: words of cores, then of GPUs.
std::vector<Word> Timetable::part_mask(const ResourceSet::Node& part, NodeIndex node) const {
    const NodeTopology& topology = inventory_->topology(node);
    const std::size_t core_words = words_for(topology.cores.size());
    std::vector<Word> mask(core_words + words_for(topology.gpus.size()));
    set_bits(std::span{mask}.first(core_words), topology.cores, part.cores);
    set_bits(std::span{mask}.subspan(core_words), topology.gpus, part.gpus);
    return mask;
}

void Timetable::add(JobId holder, const ResourceSet& R, double start, double end) {
    std::map<std::pair<RowId, std::vector<Word>>, Idset> groups;
    Idset* nodes = nullptr;  // of the group that the last part belongs to
    const ResourceSet::Node* last = nullptr;
    RowId last_row = 0;
    for (const ResourceSet::Node& part : R.nodes()) {
        const auto node = inventory_->node_of_rank(part.rank);
        if (!node) continue;
        const auto index = static_cast<NodeIndex>(*node);
        const RowId row = row_of_node_[index];
        if (!last || row != last_row || part.cores != last->cores || part.gpus != last->gpus)
            nodes = &groups[{row, part_mask(part, index)}];
        nodes->insert(index);
        last = &part;
        last_row = row;
    }
    for (auto& [key, members] : groups) {
        const auto& [from, words] = key;
        const NodeTopology& topology = *rows_[from].topology;
        const bool whole = bit_count(words) == topology.cores.size() + topology.gpus.size();
        RowId to = from;
        const std::size_t count = members.size();
        if (count == rows_[from].node_count) {
            unlist(from);
        } else {
            to = new_row();
            rows_[to] = {&topology, rows_[from].up, rows_[from].uses, rows_[from].masks, {}, 0, 0};
            rows_[from].nodes -= members;
            rows_[from].node_count -= count;
            for (const NodeIndex node : members) row_of_node_[node] = to;
            rows_[to].nodes = std::move(members);
            rows_[to].node_count = count;
        }
        add_use(to, {holder, start, end, whole}, words);
        settle(to);
    }
}

void Timetable::remove(JobId holder, const ResourceSet& R) {
    std::vector<RowId> touched;
    for (const ResourceSet::Node& part : R.nodes()) {
        const auto node = inventory_->node_of_rank(part.rank);
        if (node && (touched.empty() || touched.back() != row_of_node_[*node]))
            touched.push_back(row_of_node_[*node]);
    }
    std::ranges::sort(touched);
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const RowId id : touched) {
        Row& row = rows_[id];
        const auto use = std::ranges::find(row.uses, holder, &Use::holder);
        if (use == row.uses.end()) continue;
        unlist(id);
        const auto at = row.masks.begin() +
                        (use - row.uses.begin()) * static_cast<std::ptrdiff_t>(row.stride());
        row.masks.erase(at, at + static_cast<std::ptrdiff_t>(row.stride()));
        row.uses.erase(use);
        settle(id);
    }
}

void Timetable::set_up(NodeIndex node, bool up) {
    const RowId from = row_of_node_[node];
    if (rows_[from].up == up) return;
    const RowId to = new_row();
    Row& row = rows_[from];
    rows_[to] = {row.topology, up, row.uses, row.masks, Idset{node}, 1, 0};
    row_of_node_[node] = to;
    row.nodes.erase(node);
    if (--row.node_count == 0) {
        unlist(from);
        rows_[from] = {};
        spare_.push_back(from);
    }
    settle(to);
}

}  // namespace sluice
