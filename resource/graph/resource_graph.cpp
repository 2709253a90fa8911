#include "resource/graph/resource_graph.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <map>
#include <tuple>
#include <utility>

namespace sluice {
namespace {

struct Vertex {
    VertexKind kind = VertexKind::cluster;
    std::uint32_t id = 0;  // rank of a node, logical id of a core or GPU
};
using Csr = boost::compressed_sparse_row_graph<boost::directedS, Vertex, boost::no_property,
                                               boost::no_property, std::uint32_t, std::uint32_t>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// Vertices and edges before they are packed.
struct Draft {
    std::vector<Vertex> vertices;
    std::vector<Edge> edges;

    std::uint32_t add(VertexKind kind, std::uint32_t id) {
        vertices.push_back({kind, id});
        return static_cast<std::uint32_t>(vertices.size() - 1);
    }
    std::uint32_t add_under(std::uint32_t parent, VertexKind kind, std::uint32_t id) {
        const std::uint32_t vertex = add(kind, id);
        edges.emplace_back(parent, vertex);
        return vertex;
    }
};

VertexKind kind_of(LocalityDomain::Kind kind) {
    return kind == LocalityDomain::Kind::socket ? VertexKind::socket : VertexKind::numa;
}

/// What makes two nodes share a subtree.
using ShapeKey = std::tuple<std::string, std::string, std::string>;

ShapeKey shape_key(const ResourceSet::Node& node, const Locality& locality) {
    std::string domains;
    for (const LocalityDomain& domain : locality) {
        domains += domain.kind == LocalityDomain::Kind::socket ? 's' : 'n';
        domains += domain.cores.to_string() + '/' + domain.gpus.to_string() + ';';
    }
    return {node.cores.to_string(), node.gpus.to_string(), std::move(domains)};
}

bool holds(const LocalityDomain& outer, const LocalityDomain& inner) {
    return (inner.cores - outer.cores).empty() && (inner.gpus - outer.gpus).empty();
}

/// Draws the subtree of one shape. Domains are nested by containment, the largest outside; cores
/// and GPUs hang off the smallest domain that has them.
std::uint32_t draw_shape(Draft& draft, const ResourceSet::Node& node, Locality locality) {
    const std::uint32_t root = draft.add(VertexKind::shape, 0);
    for (LocalityDomain& domain : locality) {
        domain.cores = domain.cores & node.cores;
        domain.gpus = domain.gpus & node.gpus;
    }
    std::erase_if(locality, [](const LocalityDomain& d) { return d.cores.empty(); });
    std::ranges::stable_sort(locality, [](const LocalityDomain& a, const LocalityDomain& b) {
        return std::pair{a.cores.size(), a.gpus.size()} > std::pair{b.cores.size(), b.gpus.size()};
    });
    std::vector<std::uint32_t> vertex(locality.size());
    for (std::size_t i = 0; i < locality.size(); ++i) {
        std::uint32_t parent = root;
        for (std::size_t j = 0; j < i; ++j)
            if (holds(locality[j], locality[i])) parent = vertex[j];
        vertex[i] = draft.add_under(parent, kind_of(locality[i].kind), static_cast<uint32_t>(i));
    }
    const auto home = [&](auto member, Idset::Id id) {
        for (std::size_t i = locality.size(); i-- > 0;)
            if ((locality[i].*member).contains(id)) return vertex[i];
        return root;
    };
    for (const Idset::Id id : node.cores)
        draft.add_under(home(&LocalityDomain::cores, id), VertexKind::core, id);
    for (const Idset::Id id : node.gpus)
        draft.add_under(home(&LocalityDomain::gpus, id), VertexKind::gpu, id);
    return root;
}

/// Walks a shape's subtree and flattens it: every open domain gets the positions found below it.
class Flatten : public boost::default_dfs_visitor {
  public:
    Flatten(NodeTopology& topology, std::vector<std::size_t>& open)
        : topology_(&topology), open_(&open) {}

    void discover_vertex(std::uint32_t v, const Csr& graph) {
        const Vertex& vertex = graph[v];
        if (vertex.kind == VertexKind::socket || vertex.kind == VertexKind::numa) {
            open_->push_back(topology_->domains.size());
            topology_->domains.push_back({vertex.kind, Bitmap(topology_->cores.size()),
                                          Bitmap(topology_->gpus.size())});
        } else if (vertex.kind == VertexKind::core) {
            const std::size_t at = position(topology_->cores, vertex.id);
            for (const std::size_t domain : *open_) topology_->domains[domain].cores.set(at);
        } else if (vertex.kind == VertexKind::gpu) {
            const std::size_t at = position(topology_->gpus, vertex.id);
            for (const std::size_t domain : *open_) topology_->domains[domain].gpus.set(at);
        }
    }
    void finish_vertex(std::uint32_t v, const Csr& graph) {
        const VertexKind kind = graph[v].kind;
        if (kind == VertexKind::socket || kind == VertexKind::numa) open_->pop_back();
    }

  private:
    static std::size_t position(const std::vector<Idset::Id>& ids, Idset::Id id) {
        return static_cast<std::size_t>(std::ranges::lower_bound(ids, id) - ids.begin());
    }
    NodeTopology* topology_;  // pointers: Boost.Graph copies its visitors
    std::vector<std::size_t>* open_;
};

/// A colour map over only the vertices of one subtree, [first, first + size).
struct SubtreeColors {
    using key_type = std::uint32_t;
    using value_type = boost::default_color_type;
    using reference = value_type&;
    using category = boost::lvalue_property_map_tag;
    std::uint32_t first;
    std::vector<value_type>* colors;
    friend reference get(const SubtreeColors& map, key_type v) {
        return (*map.colors)[v - map.first];
    }
    friend void put(const SubtreeColors& map, key_type v, value_type color) {
        (*map.colors)[v - map.first] = color;
    }
};

}  // namespace

struct ResourceGraph::Graph {
    Csr csr;
};

ResourceGraph::ResourceGraph(ResourceGraph&&) noexcept = default;
ResourceGraph& ResourceGraph::operator=(ResourceGraph&&) noexcept = default;
ResourceGraph::~ResourceGraph() = default;

ResourceGraph::ResourceGraph(const ResourceSet& R, const LocalityMap& locality) {
    Draft draft;
    const std::uint32_t cluster = draft.add(VertexKind::cluster, 0);
    for (const ResourceSet::Node& node : R.nodes())
        draft.add_under(cluster, VertexKind::node, node.rank);
    std::map<ShapeKey, std::uint32_t> topology_of_shape;
    std::vector<std::uint32_t> roots;
    std::uint32_t vertex = cluster;
    for (const ResourceSet::Node& node : R.nodes()) {
        const auto found = locality.find(node.rank);
        const Locality domains = found == locality.end() ? Locality{} : found->second;
        const auto [shape, is_new] = topology_of_shape.try_emplace(
            shape_key(node, domains), static_cast<std::uint32_t>(roots.size()));
        if (is_new) {
            roots.push_back(draw_shape(draft, node, domains));
            topologies_.push_back({node.cores.to_vector(), node.gpus.to_vector(), {}});
        }
        topology_of_node_.push_back(shape->second);
        draft.edges.emplace_back(++vertex, roots[shape->second]);
    }
    std::ranges::stable_sort(draft.edges, {}, &Edge::first);
    graph_ = std::make_unique<Graph>(
        Graph{Csr(boost::edges_are_sorted, draft.edges.begin(), draft.edges.end(),
                  static_cast<std::uint32_t>(draft.vertices.size()))});
    for (std::uint32_t v = 0; v < draft.vertices.size(); ++v)
        graph_->csr[v] = draft.vertices[v];
    roots.push_back(static_cast<std::uint32_t>(draft.vertices.size()));
    for (std::size_t i = 0; i < topologies_.size(); ++i) {
        std::vector<boost::default_color_type> colors(roots[i + 1] - roots[i]);
        std::vector<std::size_t> open;
        boost::depth_first_visit(graph_->csr, roots[i], Flatten(topologies_[i], open),
                                 SubtreeColors{roots[i], &colors});
        std::ranges::stable_sort(topologies_[i].domains, {},
                                 [](const auto& domain) { return domain.cores.count(); });
    }
}

std::size_t ResourceGraph::vertex_count() const { return num_vertices(graph_->csr); }
std::size_t ResourceGraph::edge_count() const { return num_edges(graph_->csr); }

std::size_t ResourceGraph::count(VertexKind kind) const {
    const auto [first, last] = vertices(graph_->csr);
    return static_cast<std::size_t>(std::count_if(
        first, last, [&](std::uint32_t v) { return graph_->csr[v].kind == kind; }));
}

}  // namespace sluice
