#include "broker/overlay/topology.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sluice {
namespace {

/// Up to this size a flat tree has no router but rank 0, which then serves all others itself.
constexpr std::uint32_t flat_size_max = 1024;

Result<std::uint32_t> parse_k(std::string_view text, std::string_view digits) {
    std::uint32_t k = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return fail(EINVAL, "'{}': the part after the colon is not a number", text);
    return k;
}

std::uint32_t router_count(std::uint32_t k, std::uint32_t size) {
    if (k > 0) return k;
    if (size <= flat_size_max) return 0;
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(size)));
}

std::uint32_t parent_of(TopologyKind kind, std::uint32_t rank, std::uint32_t size) {
    switch (kind.shape) {
        case TopologyKind::Shape::kary: return kind.k == 0 ? 0 : (rank - 1) / kind.k;
        case TopologyKind::Shape::binomial: return rank & (rank - 1);
        case TopologyKind::Shape::custom: return 0;
        case TopologyKind::Shape::mincrit: {
            const std::uint32_t routers = router_count(kind.k, size);
            return rank <= routers || routers == 0 ? 0 : (rank - 1 - routers) % routers + 1;
        }
    }
    return 0;
}

}  // namespace

Result<TopologyKind> TopologyKind::parse(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const bool has_k = colon != std::string_view::npos;
    TopologyKind kind{Shape::kary, 0};
    if (has_k) {
        SLUICE_TRY(kind.k, parse_k(text, text.substr(colon + 1)));
    }
    if (name == "kary" && has_k) return kind;
    if (name == "mincrit") return TopologyKind{Shape::mincrit, kind.k};
    if (name == "binomial" && !has_k) return TopologyKind{Shape::binomial, 0};
    if (name == "custom" && !has_k) return TopologyKind{Shape::custom, 0};
    return fail(EINVAL, "'{}' is none of kary:K, mincrit[:K], binomial, custom", text);
}

std::string TopologyKind::to_string() const {
    switch (shape) {
        case Shape::kary: return fmt::format("kary:{}", k);
        case Shape::mincrit: return k ? fmt::format("mincrit:{}", k) : "mincrit";
        case Shape::binomial: return "binomial";
        case Shape::custom: return "custom";
    }
    return {};
}

Topology::Topology(TopologyKind kind, std::uint32_t size) : parents_(size, 0) {
    for (std::uint32_t rank = 1; rank < size; ++rank) parents_[rank] = parent_of(kind, rank, size);
    derive();
}

Result<Topology> Topology::from_parents(std::vector<std::uint32_t> parents) {
    for (std::uint32_t rank = 1; rank < parents.size(); ++rank) {
        std::uint32_t above = rank;
        for (std::size_t steps = 0; above != 0; ++steps) {
            if (above >= parents.size())
                return fail(EINVAL, "the parent of rank {} is rank {}, which does not exist", rank,
                            above);
            if (steps > parents.size())
                return fail(EINVAL, "rank {} has no path to rank 0: its parents form a loop", rank);
            above = parents[above];
        }
    }
    Topology topology;
    topology.parents_ = std::move(parents);
    topology.derive();
    return topology;
}

void Topology::derive() {
    const std::uint32_t count = size();
    children_.assign(count, {});
    subtree_size_.assign(count, 1);
    level_.assign(count, 0);
    for (std::uint32_t rank = 1; rank < count; ++rank) {
        children_[parents_[rank]].push_back(Rank{rank});
        for (std::uint32_t above = rank; above != 0; above = parents_[above]) {
            ++level_[rank];
            ++subtree_size_[parents_[above]];
        }
    }
}

std::optional<Rank> Topology::parent(Rank rank) const {
    if (rank.value == 0 || rank.value >= size()) return std::nullopt;
    return Rank{parents_[rank.value]};
}

std::optional<Rank> Topology::child_toward(Rank from, Rank target) const {
    if (target.value >= size()) return std::nullopt;
    for (std::uint32_t above = target.value; above != 0; above = parents_[above])
        if (parents_[above] == from.value && above != from.value) return Rank{above};
    return std::nullopt;
}

Idset Topology::subtree(Rank rank) const {
    Idset ranks{rank.value};
    std::vector<Rank> open{rank};
    while (!open.empty()) {
        const Rank next = open.back();
        open.pop_back();
        for (const Rank child : children(next)) {
            ranks.insert(child.value);
            open.push_back(child);
        }
    }
    return ranks;
}

std::uint32_t Topology::maxlevel() const { return *std::ranges::max_element(level_); }

Idset Topology::routers() const {
    Idset ranks{0};
    for (std::uint32_t rank = 1; rank < size(); ++rank)
        if (!children_[rank].empty()) ranks.insert(rank);
    return ranks;
}

}  // namespace sluice
