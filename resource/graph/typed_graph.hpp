// The general resource graph (RFC 4): vertices of any type with sizes, units, properties and
// status, edges of one or more subsystems (containment, power, network, …), each a tree or a DAG
// below its own root. One Boost.Graph graph.
//
// Two representations live side by side, each for its task:
//  * inventory.hpp with resource_graph.hpp: the instance's nodes, cores and GPUs as bitmaps, shared
//    topologies and a tree of sums. RFC 25 V1 jobs are placed there in microseconds
//    (match/matcher.hpp); the broker uses nothing else.
//  * this graph with plan/ (time per vertex), request/ (RFC 14), reader/ (GRUG, JGF, R, hwloc),
//    search/ (match, book, cancel, find) and writer/ (R, JGF, text): any type, any nesting, any
//    time. query/session.hpp is their front end and `flux resource-query` its command line.
// What is in use is not in the graph but in search/state.hpp, and only for vertices where it
// differs from idle.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <boost/range/iterator_range.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace sluice {

using VertexId = std::size_t;
using EdgeId = std::uint32_t;
inline constexpr std::string_view containment = "containment";
/// Vertices a graph may have; a recipe that asks for more is refused.
inline constexpr std::size_t graph_vertices_max = 64u << 20;

struct Vertex {
    std::string_view type, basename, unit;  // interned in the graph
    std::string name;
    std::int64_t id = 0, uniq_id = -1, rank = -1;
    std::uint64_t size = 1;
    bool up = true;
    std::map<std::string, std::string> properties;
    std::map<std::string_view, std::string> paths;  // subsystem -> path, keys interned
};

struct Edge {
    std::string_view subsystem;  // interned
    EdgeId id = 0;
};

class TypedGraph {
  public:
    using Graph =
        boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Vertex, Edge>;
    using EdgeRef = boost::graph_traits<Graph>::edge_descriptor;

    TypedGraph() = default;
    TypedGraph(const TypedGraph&) = delete;
    TypedGraph& operator=(const TypedGraph&) = delete;

    /// The graph's own copy of a word, valid as long as the graph.
    std::string_view intern(std::string_view word);
    /// Adds a vertex with its paths filled in; a path of one step makes it the root there.
    /// uniq_id -1 becomes the vertex's number.
    /// Errors: EEXIST if the subsystem has a root; EOVERFLOW beyond graph_vertices_max.
    Result<VertexId> add(Vertex vertex);
    /// A second way to reach a vertex, in another subsystem.
    void add_path(VertexId vertex, std::string_view subsystem, std::string path);
    /// Errors: EEXIST if there is such an edge already.
    Result<EdgeId> connect(VertexId from, VertexId to, std::string_view subsystem);
    /// Takes vertices out with their edges; their numbers are not given again.
    void remove(const std::set<VertexId>& vertices);

    const Vertex& operator[](VertexId vertex) const { return graph_[vertex]; }
    void set_up(VertexId vertex, bool up) { graph_[vertex].up = up; }
    void set_property(VertexId vertex, const std::string& key, std::string value) {
        graph_[vertex].properties[key] = std::move(value);
    }
    auto out(VertexId vertex) const {
        return boost::make_iterator_range(boost::out_edges(vertex, graph_));
    }
    VertexId from(const EdgeRef& edge) const { return boost::source(edge, graph_); }
    VertexId to(const EdgeRef& edge) const { return boost::target(edge, graph_); }
    const Edge& operator[](const EdgeRef& edge) const { return graph_[edge]; }
    std::optional<EdgeRef> find_edge(VertexId from, VertexId to) const;
    std::optional<EdgeRef> parent_edge(VertexId vertex, std::string_view subsystem) const;
    /// Everything below a vertex in a subsystem, without itself.
    std::set<VertexId> below(VertexId vertex, std::string_view subsystem) const;
    bool leaf(VertexId vertex) const { return boost::out_degree(vertex, graph_) == 0; }
    /// Errors: ELOOP naming a vertex that contains itself, EINVAL one over 64 levels deep.
    Result<void> check_shape() const;

    std::size_t vertex_count() const { return boost::num_vertices(graph_); }
    std::size_t edge_count() const { return boost::num_edges(graph_); }
    std::size_t edge_ids() const { return next_edge_; }
    std::optional<VertexId> root(std::string_view subsystem) const;
    /// Vertices at a path, of a rank, of a type; empty if there is none.
    const std::vector<VertexId>& at_path(std::string_view path) const;
    const std::vector<VertexId>& of_rank(std::int64_t rank) const;
    const std::vector<VertexId>& of_type(std::string_view type) const;
    /// Was there ever a vertex of that type?
    bool knows_type(std::string_view type) const { return types_.contains(type); }
    const std::map<std::int64_t, std::vector<VertexId>>& ranks() const { return by_rank_; }
    std::size_t path_count() const { return by_path_.size(); }
    std::size_t type_count() const { return by_type_.size(); }
    std::size_t name_count() const;
    /// The vertex of a rank that holds the others: the one with the shortest path.
    std::optional<VertexId> top_of_rank(std::int64_t rank, std::string_view subsystem) const;

  private:
    Graph graph_;
    EdgeId next_edge_ = 0;
    std::set<std::string, std::less<>> words_;
    std::set<std::string_view> types_;
    std::map<std::string_view, VertexId> roots_;
    std::unordered_map<std::string_view, std::vector<VertexId>> by_type_;
    std::map<std::string, std::vector<VertexId>, std::less<>> by_path_;
    std::map<std::int64_t, std::vector<VertexId>> by_rank_;
};

}  // namespace sluice
