// The shape of the tree overlay: who is whose parent (tbon.topo; wire.md 1.6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/idset.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct TopologyKind {
    enum class Shape { kary, mincrit, binomial, custom } shape = Shape::kary;
    std::uint32_t k =
        32;  // kary: children a broker, 0 = all below rank 0; mincrit: routers, 0 = choose

    /// "kary:K", "mincrit", "mincrit:K", "binomial", "custom". Errors: EINVAL with the choices.
    static Result<TopologyKind> parse(std::string_view text);
    std::string to_string() const;
    friend bool operator==(const TopologyKind&, const TopologyKind&) = default;
};

class Topology {
  public:
    /// Rank 0 alone.
    Topology() : Topology({}, 1) {}
    /// `custom` puts all below rank 0; see from_parents.
    Topology(TopologyKind kind, std::uint32_t size);
    /// parents[r] is the parent of rank r; parents[0] is ignored.
    /// Errors: EINVAL a parent that does not exist, or a loop.
    static Result<Topology> from_parents(std::vector<std::uint32_t> parents);

    std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
    std::optional<Rank> parent(Rank rank) const;
    const std::vector<Rank>& children(Rank rank) const { return children_[rank.value]; }
    /// The child of `from` whose subtree holds `target`; nullopt if it is not below `from`.
    std::optional<Rank> child_toward(Rank from, Rank target) const;
    /// The rank and all below it.
    Idset subtree(Rank rank) const;
    std::uint32_t descendants(Rank rank) const { return subtree_size_[rank.value] - 1; }
    std::uint32_t level(Rank rank) const { return level_[rank.value]; }
    std::uint32_t maxlevel() const;
    /// Ranks with children, and rank 0: their loss costs more than themselves.
    Idset routers() const;

  private:
    void derive();

    std::vector<std::uint32_t> parents_, level_, subtree_size_;
    std::vector<std::vector<Rank>> children_;
};

}  // namespace sluice
