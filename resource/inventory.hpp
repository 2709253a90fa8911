// What there is, what is up, what is free: the graph of the instance's resources and, beside it,
// bitmaps of free cores and GPUs and sums for pruning. Pure; a copy shares the graph and costs a
// few words a node, so a scheduler may plan on copies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/constraint.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/bitmap.hpp"
#include "resource/free_tree.hpp"
#include "resource/graph/resource_graph.hpp"
#include "resource/node_description.hpp"

namespace sluice {

/// Sums over nodes.
struct ResourceCount {
    std::uint64_t nodes = 0, cores = 0, gpus = 0;
    friend bool operator==(const ResourceCount&, const ResourceCount&) = default;
};

class Inventory {
  public:
    Inventory() : Inventory(ResourceSet{}, {}) {}
    /// All of R free, no rank up.
    explicit Inventory(const ResourceSet& R, const LocalityMap& locality = {});

    // Nodes are numbered 0 … node_count() - 1 in rank order.
    std::size_t node_count() const { return nodes_.size(); }
    std::uint32_t rank(std::size_t node) const { return fixed_->R.nodes()[node].rank; }
    const std::string& host(std::size_t node) const { return fixed_->R.nodes()[node].host; }
    std::optional<std::size_t> node_of_rank(std::uint32_t rank) const {
        const auto& nodes = fixed_->R.nodes();
        if (rank < nodes.size() && nodes[rank].rank == rank) return rank;
        return find_rank(rank);
    }
    bool up(std::size_t node) const { return nodes_[node].up; }
    const NodeTopology& topology(std::size_t node) const { return fixed_->graph.topology(node); }
    const ResourceGraph& graph() const { return fixed_->graph; }
    std::span<const Word> free_cores(std::size_t node) const;
    std::span<const Word> free_gpus(std::size_t node) const;
    bool matches(std::size_t node, const Constraint& constraint) const;

    void set_up(const Idset& ranks, bool up);
    /// Takes R out of what is free. Ranks and ids that do not exist are passed over.
    /// Errors: EBUSY naming the rank if a part is in use already; that part is not counted twice.
    Result<void> allocate(const ResourceSet& R);
    void free(const ResourceSet& R);
    /// The same for many at once, quicker; parts that overlap are not counted twice.
    void allocate(std::span<const ResourceSet* const> sets);
    void free(std::span<const ResourceSet* const> sets);

    const ResourceSet& all() const { return fixed_->R; }
    ResourceSet down() const;
    ResourceSet allocated() const;
    Idset up_ranks() const;
    /// Free on nodes that are up; `nodes` counts wholly free ones.
    const ResourceCount& free_count() const { return free_; }
    const ResourceCount& total_count() const { return fixed_->total; }
    /// Room of the nodes that are up, for finding the next one.
    const FreeTree& room() const { return tree_; }
    /// Bytes of state and topology a node costs on average, for the benchmark.
    std::size_t state_bytes() const;

  private:
    struct NodeState {
        std::uint32_t core_word, gpu_word;  // first word in free_cores_, free_gpus_
        std::uint32_t free_cores, free_gpus;
        bool up = false;
    };
    struct Fixed {
        ResourceSet R;
        ResourceGraph graph;
        std::vector<std::vector<std::string>> property_sets;
        std::vector<std::uint32_t> property_set_of_node;
        ResourceCount total;
    };
    std::optional<std::size_t> find_rank(std::uint32_t rank) const;
    enum class Change : std::uint8_t { take, give };
    bool change(std::size_t node, const ResourceSet::Node& part, Change change);
    bool change_leaf(std::size_t node, const ResourceSet::Node& part, Change change);
    std::optional<std::uint32_t> change_all(std::span<const ResourceSet* const> sets,
                                            Change change);
    void count(std::size_t node, int sign);
    NodeRoom room_of(std::size_t node) const;
    ResourceSet with_properties(ResourceSet R) const;

    std::shared_ptr<const Fixed> fixed_;
    std::vector<NodeState> nodes_;
    std::vector<Word> free_core_words_, free_gpu_words_;
    FreeTree tree_;
    ResourceCount free_;
};

}  // namespace sluice
