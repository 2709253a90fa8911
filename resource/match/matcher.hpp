// Finds resources for a request (RFC 25) in an inventory: what fits now, or why not, in numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "base/rfc/constraint.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/inventory.hpp"
#include "resource/match/match_options.hpp"
#include "resource/match/node_groups.hpp"

namespace sluice {

/// Lifetime: the groups outlive the shape.
struct GroupWish {
    const NodeGroups* groups = nullptr;
    GroupRequest asked = {};
};

/// A request and the nodes its constraint admits, worked out once for all jobs of the shape.
class MatchShape {
  public:
    MatchShape(const Inventory& inventory, const ResourceRequest& request,
               const Constraint& constraint, MatchOptions options, const GroupWish& wish = {});

    /// Cores and GPUs to give, without times; or, as text, what is missing now:
    /// "4 nodes with 8 free cores wanted, 2 are free".
    std::variant<ResourceSet, std::string> match(const Inventory& inventory) const;
    /// Could it fit if all were up and free?
    /// Errors: EINVAL "unsatisfiable request: 9 cores on one node wanted, the largest has 8".
    Result<void> feasible(const Inventory& inventory) const;

    // What another search needs, over what is free at some other time.
    /// Nodes or slots in all; a node gives units_in() of them.
    std::uint64_t wanted() const { return request_.nodes ? request_.nodes : request_.slots; }
    std::uint64_t units_in(NodeRoom room) const {
        if (room.cores < least_.cores || room.gpus < least_.gpus || room.idle < least_.idle)
            return 0;
        return request_.nodes ? 1 : slots_in(room.cores, room.gpus);
    }
    bool by_node() const { return request_.nodes > 0; }
    bool exclusive() const { return exclusive_; }
    NodeOrder order() const { return options_.order; }
    bool admits(std::size_t node) const { return all_admitted_ || bit_test(admitted_, node); }
    /// As bits; empty: all nodes.
    std::span<const Word> admitted() const { return admitted_; }
    /// Does it matter in which groups of nodes the job is?
    bool grouped() const { return view_ || asked_.count; }
    /// For a shape that is grouped: which of all offers to take.
    std::optional<std::vector<NodeUnits>> choose(std::span<const NodeUnits> offers) const;
    /// Cores and GPUs of a node that gives so many units, out of those that are free.
    ResourceSet::Node pick(const Inventory& inventory, NodeUnits taken,
                           std::span<const Word> free_cores,
                           std::span<const Word> free_gpus) const;

  private:
    std::uint64_t slots_in(std::uint64_t cores, std::uint64_t gpus) const;
    static NodeRoom need_of(const ResourceRequest& request, bool exclusive);
    std::string parts_text() const;
    Result<void> feasible_in_groups(const Inventory& inventory) const;
    std::string missing(const Inventory& inventory, std::uint64_t found) const;

    ResourceRequest request_;
    MatchOptions options_;
    bool exclusive_, constrained_, all_admitted_;
    NodeRoom least_;  // that a node must have to be of any use
    std::vector<Word> admitted_;
    std::uint64_t admitted_nodes_ = 0;
    GroupRequest asked_;
    const NodeGroups::View* view_ = nullptr;
};

}  // namespace sluice
