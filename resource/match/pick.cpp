#include "resource/match/pick.hpp"

#include <vector>

#include "base/assert.hpp"

namespace sluice {
namespace {

using Words = std::vector<Word>;

Words common(std::span<const Word> a, std::span<const Word> b) {
    Words both(a.begin(), a.end());
    for (std::size_t i = 0; i < both.size(); ++i) both[i] &= b[i];
    return both;
}

/// Moves `count` positions from `from`, which are free in `all` too, to `taken`.
void take(Words& all, const Words& from, const std::vector<Idset::Id>& ids, std::uint32_t count,
          NodeOrder order, Idset& taken) {
    const bool low = order == NodeOrder::lowest_first;
    for (std::size_t i = 0; i < from.size() && count; ++i) {
        const std::size_t at = low ? i : from.size() - 1 - i;
        for (Word word = from[at]; word && count; --count) {
            const auto bit = static_cast<std::size_t>(
                low ? std::countr_zero(word) : int{word_bits - 1} - std::countl_zero(word));
            word &= ~(Word{1} << bit);
            all[at] &= ~(Word{1} << bit);
            taken.insert(ids[at * word_bits + bit]);
        }
    }
    SLUICE_ASSERT(count == 0);
}

/// The domains that could hold a slot, those to be tried first in front.
const NodeTopology::Domain* domain_for(const NodeTopology& topology, const Words& cores,
                                       const Words& gpus, SlotShape slot, NodeOrder order) {
    const NodeTopology::Domain* best = nullptr;
    for (const NodeTopology::Domain& domain : topology.domains) {
        // Domains come smallest first; a larger one cannot be closer.
        if (best && domain.cores.count() > best->cores.count()) break;
        if (bit_count_common(cores, domain.cores.words()) < slot.cores) continue;
        if (bit_count_common(gpus, domain.gpus.words()) < slot.gpus) continue;
        best = &domain;
        if (order == NodeOrder::lowest_first) break;
    }
    return best;
}

}  // namespace

Picked pick_slots(const NodeTopology& topology, std::span<const Word> free_cores,
                  std::span<const Word> free_gpus, SlotShape slot, std::uint64_t slots,
                  NodeOrder order) {
    Picked picked;
    Words cores(free_cores.begin(), free_cores.end());
    Words gpus(free_gpus.begin(), free_gpus.end());
    const bool one_core = slot.cores == 1 && slot.gpus == 0;
    if (topology.domains.empty() || one_core) {  // any will do: take all slots at once
        take(cores, Words(cores), topology.cores, static_cast<std::uint32_t>(slots * slot.cores),
             order, picked.cores);
        take(gpus, Words(gpus), topology.gpus, static_cast<std::uint32_t>(slots * slot.gpus),
             order, picked.gpus);
        return picked;
    }
    for (std::uint64_t i = 0; i < slots; ++i) {
        const auto* domain = domain_for(topology, cores, gpus, slot, order);
        take(cores, domain ? common(cores, domain->cores.words()) : Words(cores), topology.cores,
             slot.cores, order, picked.cores);
        take(gpus, domain ? common(gpus, domain->gpus.words()) : Words(gpus), topology.gpus,
             slot.gpus, order, picked.gpus);
    }
    return picked;
}

}  // namespace sluice
