// What a search has found below a vertex, by type: bundles of offers with scores, of which the best
// are chosen where a request is met. What is not asked for at a vertex goes up to its parent.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "resource/graph/typed_graph.hpp"
#include "resource/search/policy.hpp"

namespace sluice {

/// One edge that leads to something usable.
struct Offer {
    TypedGraph::EdgeRef edge;
    std::uint64_t count = 0, needs = 0;
    bool exclusive = false;
};

/// What is taken or left as a whole: one offer, or the parts of a slot.
struct Bundle {
    std::int64_t score = 0;
    std::uint64_t count = 0;
    bool is_root = false;  // the graph's root: no edge leads to it
    std::vector<Offer> offers;
};

class Offers {
  public:
    void add(Bundle bundle) {
        count_ += bundle.count;
        bundles_.push_back(std::move(bundle));
    }
    void merge(const Offers& other) {
        count_ += other.count_;
        bundles_.insert(bundles_.end(), other.bundles_.begin(), other.bundles_.end());
    }
    /// Sorts by the policy and takes bundles until they make up `count`. False if there are fewer.
    bool choose(std::uint64_t count, MatchPolicy::Order order);

    std::uint64_t count() const { return count_; }
    bool decided() const { return chosen_ > 0; }
    const std::vector<Bundle>& bundles() const { return bundles_; }
    std::size_t chosen() const { return chosen_; }  // the first ones of bundles()

  private:
    std::vector<Bundle> bundles_;
    std::uint64_t count_ = 0;
    std::size_t chosen_ = 0;
};

class Findings {
  public:
    using ByType = std::map<std::string_view, Offers>;
    explicit Findings(std::size_t subsystems) : by_subsystem_(subsystems) {}

    ByType& of(std::size_t subsystem) { return by_subsystem_[subsystem]; }
    const ByType& of(std::size_t subsystem) const { return by_subsystem_[subsystem]; }
    Offers& of(std::size_t subsystem, std::string_view type) {
        return by_subsystem_[subsystem][type];
    }
    std::uint64_t count(std::size_t subsystem, std::string_view type) const {
        const auto found = by_subsystem_[subsystem].find(type);
        return found == by_subsystem_[subsystem].end() ? 0 : found->second.count();
    }
    void choose(std::size_t subsystem, std::string_view type, std::uint64_t count,
                MatchPolicy::Order order) {
        if (of(subsystem, type).choose(count, order)) decided = true;
    }
    void merge(const Findings& other);

    bool decided = false;      // a request was met here: what it takes is marked here
    std::int64_t score = -1;   // of the vertex visited last
    std::uint64_t available = 0;

  private:
    std::vector<ByType> by_subsystem_;
};

}  // namespace sluice
