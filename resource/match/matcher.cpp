#include "resource/match/matcher.hpp"

#include <algorithm>
#include <limits>

#include "resource/match/pick.hpp"

namespace sluice {
namespace {

std::string plural(std::uint64_t n, std::string_view word) {
    return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s");
}

std::string cores_and_gpus(std::uint64_t cores, std::uint64_t gpus, std::string_view adjective) {
    std::string text = plural(cores, fmt::format("{}core", adjective));
    if (gpus) text += " and " + plural(gpus, fmt::format("{}gpu", adjective));
    return text;
}

/// The nodes with `need` that are `admitted` (empty: all), in the order wanted, until `visit` says
/// stop. The tree skips what is busy, the bitmap what is not admitted: they take turns.
template <class Visit>
void walk(const FreeTree& tree, std::span<const Word> admitted, std::size_t nodes, NodeRoom need,
          NodeOrder order, Visit visit) {
    const bool up = order == NodeOrder::lowest_first;
    if (nodes == 0) return;
    for (std::size_t at = up ? 0 : nodes - 1;;) {
        if (!admitted.empty()) {
            at = up ? bit_next(admitted, at) : bit_previous(admitted, at);
            if (at == SIZE_MAX) return;
        }
        const auto with_room = up ? tree.next(at, need) : tree.previous(at, need);
        if (!with_room || *with_room >= nodes) return;
        const bool there = admitted.empty() || bit_test(admitted, *with_room);
        if (there && !visit(*with_room)) return;
        if (!up && *with_room == 0) return;
        at = there ? (up ? *with_room + 1 : *with_room - 1) : *with_room;
    }
}

}  // namespace

MatchShape::MatchShape(const Inventory& inventory, const ResourceRequest& request,
                       const Constraint& constraint, MatchOptions options,
                       const GroupWish& wish)
    : request_(request),
      options_(options),
      exclusive_(request.exclusive || options.whole_nodes),
      constrained_(!constraint.empty()),
      all_admitted_(constraint.empty()),
      least_(need_of(request, exclusive_)),
      admitted_nodes_(inventory.node_count()),
      asked_(wish.asked) {
    if (asked_.count) view_ = wish.groups ? wish.groups->find(asked_.type) : nullptr;
    else if (options.together && wish.groups && wanted() > 1) view_ = wish.groups->default_view();
    if (all_admitted_) return;
    admitted_.resize(words_for(inventory.node_count()));
    admitted_nodes_ = 0;
    for (std::size_t node = 0; node < inventory.node_count(); ++node) {
        if (!inventory.matches(node, constraint)) continue;
        bit_set(admitted_, node);
        ++admitted_nodes_;
    }
}

/// Slots that so many cores and GPUs have room for.
std::uint64_t MatchShape::slots_in(std::uint64_t cores, std::uint64_t gpus) const {
    std::uint64_t slots = std::numeric_limits<std::uint32_t>::max();
    if (request_.cores_per_slot) slots = std::min(slots, cores / request_.cores_per_slot);
    if (request_.gpus_per_slot) slots = std::min(slots, gpus / request_.gpus_per_slot);
    return slots;
}

NodeRoom MatchShape::need_of(const ResourceRequest& request, bool exclusive) {
    const std::uint64_t slots = request.nodes ? request.slots_per_node() : 1;
    NodeRoom need;
    need.cores = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(slots * request.cores_per_slot, 0xFFFFFFFFu));
    need.gpus = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(slots * request.gpus_per_slot, 0x7FFFFFFFu)) &
                0x7FFFFFFFu;
    need.idle = exclusive;
    return need;
}

ResourceSet::Node MatchShape::pick(const Inventory& inventory, NodeUnits taken,
                                   std::span<const Word> free_cores,
                                   std::span<const Word> free_gpus) const {
    const std::size_t node = taken.node;
    if (exclusive_) return inventory.all().nodes()[node];  // it is idle
    const std::uint64_t slots = request_.nodes ? request_.slots_per_node() : taken.units;
    Picked picked = pick_slots(inventory.topology(node), free_cores, free_gpus,
                               {request_.cores_per_slot, request_.gpus_per_slot}, slots,
                               options_.order);
    return {inventory.rank(node), inventory.host(node), std::move(picked.cores),
            std::move(picked.gpus)};
}

std::variant<ResourceSet, std::string> MatchShape::match(const Inventory& inventory) const {
    const FreeTree& tree = inventory.room();
    std::vector<NodeUnits> offers;
    std::uint64_t found = 0;
    walk(tree, admitted_, inventory.node_count(), least_, options_.order, [&](std::size_t node) {
        const std::uint64_t units = units_in(tree.room(node));
        offers.push_back({node, grouped() ? units : std::min(units, wanted() - found)});
        found += offers.back().units;
        return grouped() || found < wanted();
    });
    if (found < wanted()) return missing(inventory, found);
    std::optional<std::vector<NodeUnits>> chosen =
        grouped() ? choose(offers) : std::optional{std::move(offers)};
    if (!chosen) return missing(inventory, found);
    std::ranges::sort(*chosen, {}, &NodeUnits::node);
    ResourceSet R;
    for (const NodeUnits& taken : *chosen)
        R.add(pick(inventory, taken, inventory.free_cores(taken.node),
                   inventory.free_gpus(taken.node)));
    return R;
}

std::optional<std::vector<NodeUnits>> MatchShape::choose(
    std::span<const NodeUnits> offers) const {
    if (!view_) return std::nullopt;
    return asked_.count ? take_apart(*view_, offers, wanted(), asked_.count)
                        : take_together(*view_, offers, wanted());
}

/// "2 racks with 4 nodes each", of a job that asks for groups.
std::string MatchShape::parts_text() const {
    return fmt::format("{} with {} each", plural(asked_.count, asked_.type),
                       plural(wanted() / asked_.count, request_.nodes ? "node" : "slot"));
}

Result<void> MatchShape::feasible_in_groups(const Inventory& inventory) const {
    if (!asked_.count) return {};
    if (!view_)
        return fail(EINVAL, "unsatisfiable request: no {} is defined here; resource.topology of "
                            "the configuration tells which hosts are in one", asked_.type);
    std::vector<NodeUnits> offers;
    for (std::size_t node = 0; node < inventory.node_count(); ++node) {
        NodeRoom room;
        room.cores = static_cast<std::uint32_t>(inventory.topology(node).cores.size());
        room.gpus = static_cast<std::uint32_t>(inventory.topology(node).gpus.size()) & 0x7FFFFFFFu;
        room.idle = 1;
        if (admits(node)) offers.push_back({node, units_in(room)});
    }
    if (choose(offers)) return {};
    return fail(EINVAL, "unsatisfiable request: {} wanted, there are not so many", parts_text());
}

std::string MatchShape::missing(const Inventory& inventory, std::uint64_t found) const {
    std::string text;
    if (asked_.count && found >= wanted()) {
        text = parts_text() + " wanted, fewer are free now";
    } else if (request_.nodes) {
        const NodeRoom& least = least_;
        text = exclusive_ ? fmt::format("{} wholly free wanted, {} now",
                                        plural(request_.nodes, "node"), found)
                          : fmt::format("{} with {} wanted, {} now", plural(request_.nodes, "node"),
                                        cores_and_gpus(least.cores, least.gpus, "free "), found);
    } else {
        text = fmt::format("{} of {} wanted, room for {} now", plural(request_.slots, "slot"),
                           cores_and_gpus(request_.cores_per_slot, request_.gpus_per_slot, ""),
                           found);
    }
    std::uint64_t down = 0;
    for (std::size_t node = 0; node < inventory.node_count(); ++node)
        if (admits(node) && !inventory.up(node)) ++down;
    if (down) text += fmt::format(" ({} down)", plural(down, "node"));
    return text;
}

Result<void> MatchShape::feasible(const Inventory& inventory) const {
    const char* where = constrained_ ? "matching the constraint" : "here";
    if (admitted_nodes_ == 0)
        return fail(EINVAL, "unsatisfiable request: no node {}",
                    constrained_ ? "matches the constraint" : "is defined");
    if (request_.nodes > admitted_nodes_)
        return fail(EINVAL, "unsatisfiable request: {} wanted, {} {}",
                    plural(request_.nodes, "node"), admitted_nodes_, where);
    const NodeRoom& least = least_;
    std::uint64_t fitting = 0, slots = 0, cores_most = 0, gpus_most = 0;
    for (std::size_t node = 0; node < inventory.node_count(); ++node) {
        if (!admits(node)) continue;
        const std::uint64_t cores = inventory.topology(node).cores.size();
        const std::uint64_t gpus = inventory.topology(node).gpus.size();
        cores_most = std::max(cores_most, cores);
        gpus_most = std::max(gpus_most, gpus);
        if (cores < least.cores || gpus < least.gpus) continue;
        ++fitting;
        slots += slots_in(cores, gpus);
    }
    if (request_.nodes ? fitting >= request_.nodes : slots >= request_.slots)
        return feasible_in_groups(inventory);
    if (fitting == 0)
        return fail(EINVAL, "unsatisfiable request: {} on one node wanted, the most {} is {}",
                    cores_and_gpus(least.cores, least.gpus, ""), where,
                    plural(cores_most, "core") + " and " + plural(gpus_most, "gpu"));
    if (request_.nodes)
        return fail(EINVAL, "unsatisfiable request: {} with {} wanted, {} {}",
                    plural(request_.nodes, "node"), cores_and_gpus(least.cores, least.gpus, ""),
                    fitting, where);
    return fail(EINVAL, "unsatisfiable request: {} of {} wanted, room for {} {}",
                plural(request_.slots, "slot"),
                cores_and_gpus(request_.cores_per_slot, request_.gpus_per_slot, ""), slots, where);
}

}  // namespace sluice
