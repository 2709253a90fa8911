// The containment graph (RFC 4): cluster > node > socket, NUMA node > core, GPU. One Boost.Graph
// graph; nodes that are alike share one subtree, so a large cluster costs a vertex and two edges a
// node. What is free or in use is not here but in bitmaps beside it (inventory.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/bitmap.hpp"
#include "resource/node_description.hpp"

namespace sluice {

enum class VertexKind : std::uint8_t { cluster, node, shape, socket, numa, core, gpu };

/// The part below a node as the matcher needs it: positions instead of vertices. Bit i of a core
/// bitmap stands for the logical core cores[i].
struct NodeTopology {
    struct Domain {
        VertexKind kind;
        Bitmap cores, gpus;
    };
    std::vector<Idset::Id> cores, gpus;  // ascending
    std::vector<Domain> domains;         // smallest first; empty when nothing is known
};

class ResourceGraph {
  public:
    ResourceGraph(const ResourceSet& R, const LocalityMap& locality);
    ResourceGraph(ResourceGraph&&) noexcept;
    ResourceGraph& operator=(ResourceGraph&&) noexcept;
    ~ResourceGraph();

    /// Topology of the i-th node in rank order.
    const NodeTopology& topology(std::size_t node) const {
        return topologies_[topology_of_node_[node]];
    }
    std::size_t topology_count() const { return topologies_.size(); }
    std::size_t vertex_count() const;
    std::size_t edge_count() const;
    std::size_t count(VertexKind kind) const;

  private:
    struct Graph;  // holds the Boost.Graph type
    std::unique_ptr<Graph> graph_;
    std::vector<NodeTopology> topologies_;
    std::vector<std::uint32_t> topology_of_node_;
};

}  // namespace sluice
