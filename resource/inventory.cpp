#include "resource/inventory.hpp"

#include <algorithm>
#include <map>

namespace sluice {
namespace {

/// Position of a logical id; nodes number theirs from 0 nearly always.
std::optional<std::size_t> position(const std::vector<Idset::Id>& ids, Idset::Id id) {
    if (id < ids.size() && ids[id] == id) return id;
    const auto found = std::ranges::lower_bound(ids, id);
    if (found == ids.end() || *found != id) return std::nullopt;
    return static_cast<std::size_t>(found - ids.begin());
}

/// Sets the bits from `first` to `last` to `value`. Returns how many changed.
std::uint32_t set_range(std::span<Word> words, std::size_t first, std::size_t last, bool value) {
    std::uint32_t changed = 0;
    for (std::size_t at = first / word_bits; at <= last / word_bits; ++at) {
        Word mask = ~Word{0};
        if (at == first / word_bits) mask &= ~Word{0} << first % word_bits;
        if (at == last / word_bits) mask &= ~Word{0} >> (word_bits - 1 - last % word_bits);
        const Word change = (value ? ~words[at] : words[at]) & mask;
        words[at] ^= change;
        changed += static_cast<std::uint32_t>(std::popcount(change));
    }
    return changed;
}

/// Flips the bits of `ids` to `value`. Returns how many changed; `refused` tells of one that had
/// the value already.
std::uint32_t flip(std::span<Word> words, const std::vector<Idset::Id>& known, const Idset& ids,
                   bool value, bool& refused) {
    std::uint32_t changed = 0;
    if (!known.empty() && known.back() == known.size() - 1) {  // numbered from 0 without gap
        for (const auto& [first, last] : ids.ranges()) {
            if (first >= known.size()) break;
            const std::size_t end = std::min<std::size_t>(last, known.size() - 1);
            const std::uint32_t set = set_range(words, first, end, value);
            refused |= set != end - first + 1;
            changed += set;
        }
        return changed;
    }
    for (const Idset::Id id : ids) {
        const auto at = position(known, id);
        if (!at) continue;
        if (bit_test(words, *at) == value) {
            refused = true;
            continue;
        }
        value ? bit_set(words, *at) : bit_clear(words, *at);
        ++changed;
    }
    return changed;
}

Idset ids_of(std::span<const Word> free, const std::vector<Idset::Id>& known, bool free_ones) {
    Idset ids;
    for (std::size_t i = 0; i < known.size();) {
        if (bit_test(free, i) != free_ones) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;  // of a run of ids without gap
        while (end < known.size() && bit_test(free, end) == free_ones &&
               known[end] == known[end - 1] + 1)
            ++end;
        ids.insert(known[i], known[end - 1]);
        i = end;
    }
    return ids;
}

}  // namespace

Inventory::Inventory(const ResourceSet& R, const LocalityMap& locality)
    : tree_(R.node_count()) {
    Fixed fixed{R, ResourceGraph(R, locality), {}, {}, {}};
    std::map<std::vector<std::string>, std::uint32_t> set_of_properties;
    for (std::size_t node = 0; node < R.node_count(); ++node) {
        const NodeTopology& topology = fixed.graph.topology(node);
        const auto cores = static_cast<std::uint32_t>(topology.cores.size());
        const auto gpus = static_cast<std::uint32_t>(topology.gpus.size());
        nodes_.push_back({static_cast<std::uint32_t>(free_core_words_.size()),
                          static_cast<std::uint32_t>(free_gpu_words_.size()), cores, gpus, false});
        free_core_words_.resize(free_core_words_.size() + words_for(cores));
        free_gpu_words_.resize(free_gpu_words_.size() + words_for(gpus));
        const std::span<Word> core_words{free_core_words_.data() + nodes_.back().core_word,
                                         words_for(cores)};
        const std::span<Word> gpu_words{free_gpu_words_.data() + nodes_.back().gpu_word,
                                        words_for(gpus)};
        for (std::size_t i = 0; i < cores; ++i) bit_set(core_words, i);
        for (std::size_t i = 0; i < gpus; ++i) bit_set(gpu_words, i);
        fixed.total.cores += cores;
        fixed.total.gpus += gpus;
        std::vector<std::string> properties;
        for (const auto& [property, ranks] : R.properties)
            if (ranks.contains(R.nodes()[node].rank)) properties.push_back(property);
        const auto [set, is_new] = set_of_properties.try_emplace(
            properties, static_cast<std::uint32_t>(fixed.property_sets.size()));
        if (is_new) fixed.property_sets.push_back(properties);
        fixed.property_set_of_node.push_back(set->second);
    }
    fixed.total.nodes = R.node_count();
    fixed_ = std::make_shared<const Fixed>(std::move(fixed));
}

std::optional<std::size_t> Inventory::find_rank(std::uint32_t rank) const {
    const auto& nodes = fixed_->R.nodes();
    const auto found = std::ranges::lower_bound(nodes, rank, {}, &ResourceSet::Node::rank);
    if (found == nodes.end() || found->rank != rank) return std::nullopt;
    return static_cast<std::size_t>(found - nodes.begin());
}

std::span<const Word> Inventory::free_cores(std::size_t node) const {
    return {free_core_words_.data() + nodes_[node].core_word,
            words_for(topology(node).cores.size())};
}

std::span<const Word> Inventory::free_gpus(std::size_t node) const {
    return {free_gpu_words_.data() + nodes_[node].gpu_word, words_for(topology(node).gpus.size())};
}

bool Inventory::matches(std::size_t node, const Constraint& constraint) const {
    const auto& properties = fixed_->property_sets[fixed_->property_set_of_node[node]];
    return constraint.matches({rank(node), host(node), properties});
}

NodeRoom Inventory::room_of(std::size_t node) const {
    const NodeState& state = nodes_[node];
    NodeRoom room;
    if (!state.up) return room;
    room.cores = state.free_cores;
    room.gpus = state.free_gpus & 0x7FFFFFFFu;
    room.idle = state.free_cores == topology(node).cores.size() &&
                state.free_gpus == topology(node).gpus.size();
    return room;
}

/// Adds or takes away what a node contributes to the sums.
void Inventory::count(std::size_t node, int sign) {
    const NodeRoom room = room_of(node);
    const auto apply = [sign](std::uint64_t& sum, std::uint64_t n) {
        sum = sign > 0 ? sum + n : sum - n;
    };
    apply(free_.nodes, room.idle);
    apply(free_.cores, room.cores);
    apply(free_.gpus, room.gpus);
}

void Inventory::set_up(const Idset& ranks, bool up) {
    for (const std::uint32_t rank : ranks) {
        const auto node = node_of_rank(rank);
        if (!node || nodes_[*node].up == up) continue;
        count(*node, -1);
        nodes_[*node].up = up;
        count(*node, +1);
        tree_.set(*node, room_of(*node));
    }
}

bool Inventory::change(std::size_t node, const ResourceSet::Node& part, Change change) {
    const bool fresh = change_leaf(node, part, change);
    tree_.set(node, room_of(node));
    return fresh;
}

bool Inventory::change_leaf(std::size_t node, const ResourceSet::Node& part, Change change) {
    NodeState& state = nodes_[node];
    const NodeTopology& known = topology(node);
    const bool value = change == Change::give;
    bool refused = false;
    count(node, -1);
    const std::uint32_t cores =
        flip({free_core_words_.data() + state.core_word, words_for(known.cores.size())},
             known.cores, part.cores, value, refused);
    const std::uint32_t gpus =
        flip({free_gpu_words_.data() + state.gpu_word, words_for(known.gpus.size())}, known.gpus,
             part.gpus, value, refused);
    state.free_cores = value ? state.free_cores + cores : state.free_cores - cores;
    state.free_gpus = value ? state.free_gpus + gpus : state.free_gpus - gpus;
    count(node, +1);
    return !refused;
}

/// Returns a rank of which a part was so already.
std::optional<std::uint32_t> Inventory::change_all(std::span<const ResourceSet* const> sets,
                                                   Change change) {
    std::size_t parts = 0;
    for (const ResourceSet* R : sets) parts += R->node_count();
    const bool many = parts > nodes_.size() / 8;  // then the tree is made anew
    std::optional<std::uint32_t> refused;
    for (const ResourceSet* R : sets) {
        for (const ResourceSet::Node& part : R->nodes()) {
            const auto node = node_of_rank(part.rank);
            if (!node) continue;
            if (!(many ? change_leaf(*node, part, change) : this->change(*node, part, change)))
                refused = part.rank;
            if (many) tree_.set_leaf(*node, room_of(*node));
        }
    }
    if (many) tree_.rebuild();
    return refused;
}

Result<void> Inventory::allocate(const ResourceSet& R) {
    const ResourceSet* set = &R;
    const auto busy = change_all({&set, 1}, Change::take);
    if (busy) return fail(EBUSY, "rank {}: a part of the resources is in use already", *busy);
    return {};
}

void Inventory::allocate(std::span<const ResourceSet* const> sets) {
    (void)change_all(sets, Change::take);
}

void Inventory::free(const ResourceSet& R) {
    const ResourceSet* set = &R;
    (void)change_all({&set, 1}, Change::give);
}

void Inventory::free(std::span<const ResourceSet* const> sets) {
    (void)change_all(sets, Change::give);
}

ResourceSet Inventory::with_properties(ResourceSet R) const {
    const Idset ranks = R.ranks();
    for (const auto& [property, having] : fixed_->R.properties)
        if (const Idset common = having & ranks; !common.empty()) R.properties[property] = common;
    R.starttime = fixed_->R.starttime;
    R.expiration = fixed_->R.expiration;
    return R;
}

ResourceSet Inventory::down() const {
    ResourceSet down;
    for (std::size_t node = 0; node < node_count(); ++node)
        if (!up(node)) down.add(fixed_->R.nodes()[node]);
    return with_properties(std::move(down));
}

ResourceSet Inventory::allocated() const {
    ResourceSet used;
    for (std::size_t node = 0; node < node_count(); ++node) {
        const NodeTopology& known = topology(node);
        if (nodes_[node].free_cores == known.cores.size() &&
            nodes_[node].free_gpus == known.gpus.size())
            continue;
        used.add({rank(node), host(node), ids_of(free_cores(node), known.cores, false),
                  ids_of(free_gpus(node), known.gpus, false)});
    }
    return with_properties(std::move(used));
}

Idset Inventory::up_ranks() const {
    Idset ranks;
    for (std::size_t node = 0; node < node_count(); ++node)
        if (up(node)) ranks.insert(rank(node));
    return ranks;
}

std::size_t Inventory::state_bytes() const {
    return nodes_.size() * sizeof(NodeState) +
           (free_core_words_.size() + free_gpu_words_.size()) * sizeof(Word);
}

}  // namespace sluice
