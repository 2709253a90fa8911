// Finds resources for a request (RFC 25) in an inventory: what fits now, or why not, in numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "base/rfc/constraint.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/inventory.hpp"
#include "resource/match/match_options.hpp"

namespace sluice {

/// A request and the nodes its constraint admits, worked out once for all jobs of the shape.
class MatchShape {
  public:
    MatchShape(const Inventory& inventory, const ResourceRequest& request,
               const Constraint& constraint, MatchOptions options);

    /// Cores and GPUs to give, without times; or, as text, what is missing now:
    /// "4 nodes with 8 free cores wanted, 2 are free".
    std::variant<ResourceSet, std::string> match(const Inventory& inventory) const;
    /// Could it fit if all were up and free?
    /// Errors: EINVAL "unsatisfiable request: 9 cores on one node wanted, the largest has 8".
    Result<void> feasible(const Inventory& inventory) const;

  private:
    bool admits(std::size_t node) const { return all_admitted_ || bit_test(admitted_, node); }
    std::uint64_t slots_in(std::uint64_t cores, std::uint64_t gpus) const;
    NodeRoom need() const;
    ResourceSet::Node pick(const Inventory& inventory, std::size_t node, std::uint64_t slots) const;
    std::string missing(const Inventory& inventory, std::uint64_t found) const;

    ResourceRequest request_;
    MatchOptions options_;
    bool exclusive_, constrained_, all_admitted_;
    std::vector<Word> admitted_;
    std::uint64_t admitted_nodes_ = 0;
};

}  // namespace sluice
