// RFC 20 - R: what decodes round-trips, and set operations keep their laws.
#include "base/rfc/resource_set.hpp"
#include "t/fuzz/fuzz.hpp"

SLUICE_FUZZ(text) {
    using namespace sluice;
    const auto set = ResourceSet::parse(text);
    if (!set || set->node_count() > 4096) return;  // large ones only cost time
    bool named = true;  // a host list can be printed only if all nodes have names
    for (const auto& node : set->nodes()) named &= !node.host.empty();
    const auto again = ResourceSet::parse(set->to_string());
    SLUICE_ASSERT(again);
    SLUICE_ASSERT(again->ranks() == set->ranks());
    SLUICE_ASSERT(again->core_count() == set->core_count());
    if (named) SLUICE_ASSERT(*again == *set);
    SLUICE_ASSERT((*set & *set).core_count() == set->core_count());
    SLUICE_ASSERT((*set - *set).core_count() == 0);
    SLUICE_ASSERT((*set | *set).core_count() == set->core_count());
    SLUICE_ASSERT(set->only_ranks(set->ranks()).nodes() == set->nodes());
    SLUICE_ASSERT(set->without_ranks(set->ranks()).empty());
}
