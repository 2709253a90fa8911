// What a job gets, or a question has found: vertices and edges in the order in which every writer
// writes them, children before their parent.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "resource/graph/typed_graph.hpp"

namespace sluice {

struct PlacedVertex {
    VertexId vertex = 0;
    int depth = 0;  // 1: the root
    std::uint64_t needs = 0;
    bool exclusive = false;
    bool parent_exclusive = false;
    std::string_view label;                      // that the request gave it
    std::map<std::string, std::string> sums;     // of the filter, when they were asked for
};
struct PlacedEdge {
    TypedGraph::EdgeRef edge;
    bool parent_exclusive = false;
};

struct Placement {
    std::vector<PlacedVertex> vertices;
    std::vector<PlacedEdge> edges;
    std::int64_t start = 0, end = 0;
    std::string queue;
    bool empty() const { return vertices.empty(); }
};

}  // namespace sluice
