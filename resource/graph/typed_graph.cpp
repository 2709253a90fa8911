#include "resource/graph/typed_graph.hpp"

#include <algorithm>

namespace sluice {
namespace {

const std::vector<VertexId> nothing;

bool is_root_path(std::string_view path) { return std::ranges::count(path, '/') == 1; }

constexpr std::uint32_t levels_max = 64;

}  // namespace

std::string_view TypedGraph::intern(std::string_view word) {
    const auto found = words_.find(word);
    return found != words_.end() ? *found : *words_.emplace(word).first;
}

Result<VertexId> TypedGraph::add(Vertex vertex) {
    if (vertex_count() >= graph_vertices_max)
        return fail(EOVERFLOW, "more than {} vertices: make the graph smaller", graph_vertices_max);
    for (const auto& [subsystem, path] : vertex.paths)
        if (is_root_path(path) && roots_.contains(subsystem))
            return fail(EEXIST, "{}: subsystem {} has the root {} already", path, subsystem,
                        graph_[roots_.at(subsystem)].name);
    const VertexId at = vertex_count();
    if (vertex.uniq_id == -1) vertex.uniq_id = static_cast<std::int64_t>(at);
    for (const auto& [subsystem, path] : vertex.paths) {
        if (is_root_path(path)) roots_.emplace(subsystem, at);
        by_path_[path].push_back(at);
    }
    types_.insert(vertex.type);
    by_type_[vertex.type].push_back(at);
    by_rank_[vertex.rank].push_back(at);
    boost::add_vertex(std::move(vertex), graph_);
    return at;
}

void TypedGraph::add_path(VertexId vertex, std::string_view subsystem, std::string path) {
    by_path_[path].push_back(vertex);
    graph_[vertex].paths[intern(subsystem)] = std::move(path);
}

Result<EdgeId> TypedGraph::connect(VertexId from, VertexId to, std::string_view subsystem) {
    if (find_edge(from, to))
        return fail(EEXIST, "edge {} -> {} is there twice", graph_[from].name, graph_[to].name);
    boost::add_edge(from, to, Edge{intern(subsystem), next_edge_}, graph_);
    return next_edge_++;
}

void TypedGraph::remove(const std::set<VertexId>& vertices) {
    const auto drop = [&](std::vector<VertexId>& list) {
        std::erase_if(list, [&](VertexId v) { return vertices.contains(v); });
        return list.empty();
    };
    for (const VertexId vertex : vertices) {
        boost::clear_vertex(vertex, graph_);
        const Vertex& gone = graph_[vertex];
        for (const auto& [subsystem, path] : gone.paths) {
            if (const auto root = roots_.find(subsystem); root != roots_.end())
                if (root->second == vertex) roots_.erase(root);
            const auto at = by_path_.find(path);
            if (at != by_path_.end() && drop(at->second)) by_path_.erase(at);
        }
        if (const auto at = by_type_.find(gone.type); at != by_type_.end() && drop(at->second))
            by_type_.erase(at);
        if (const auto at = by_rank_.find(gone.rank); at != by_rank_.end() && drop(at->second))
            by_rank_.erase(at);
    }
}

std::optional<TypedGraph::EdgeRef> TypedGraph::find_edge(VertexId from, VertexId to) const {
    // The shorter list decides: a cluster has thousands of edges out, a node has one or two in.
    if (boost::in_degree(to, graph_) <= boost::out_degree(from, graph_)) {
        for (const auto& edge : boost::make_iterator_range(boost::in_edges(to, graph_)))
            if (boost::source(edge, graph_) == from) return edge;
        return std::nullopt;
    }
    for (const auto& edge : out(from))
        if (boost::target(edge, graph_) == to) return edge;
    return std::nullopt;
}

std::optional<TypedGraph::EdgeRef> TypedGraph::parent_edge(VertexId vertex,
                                                           std::string_view subsystem) const {
    for (const auto& edge : boost::make_iterator_range(boost::in_edges(vertex, graph_)))
        if (graph_[edge].subsystem == subsystem) return edge;
    return std::nullopt;
}

std::set<VertexId> TypedGraph::below(VertexId vertex, std::string_view subsystem) const {
    std::set<VertexId> found;
    std::vector<VertexId> open{vertex};
    while (!open.empty()) {
        const VertexId at = open.back();
        open.pop_back();
        for (const auto& edge : out(at))
            if (graph_[edge].subsystem == subsystem && found.insert(to(edge)).second)
                open.push_back(to(edge));
    }
    return found;
}

Result<void> TypedGraph::check_shape() const {
    std::vector<std::uint32_t> open(vertex_count()), level(vertex_count());
    std::vector<VertexId> ready;
    for (VertexId vertex = 0; vertex < vertex_count(); ++vertex) {
        open[vertex] = static_cast<std::uint32_t>(boost::in_degree(vertex, graph_));
        if (open[vertex] == 0) ready.push_back(vertex);
    }
    for (std::size_t i = 0; i < ready.size(); ++i)
        for (const auto& edge : out(ready[i])) {
            const VertexId below = to(edge);
            level[below] = std::max(level[below], level[ready[i]] + 1);
            if (level[below] > levels_max)
                return fail(EINVAL, "vertex {} lies over {} levels deep", graph_[below].name,
                            levels_max);
            if (--open[below] == 0) ready.push_back(below);
        }
    for (VertexId vertex = 0; vertex < vertex_count(); ++vertex)
        if (open[vertex] > 0)
            return fail(ELOOP, "vertex {} contains itself: the edges form a cycle",
                        graph_[vertex].name);
    return {};
}

std::optional<VertexId> TypedGraph::root(std::string_view subsystem) const {
    const auto found = roots_.find(subsystem);
    if (found == roots_.end()) return std::nullopt;
    return found->second;
}

const std::vector<VertexId>& TypedGraph::at_path(std::string_view path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nothing : found->second;
}

const std::vector<VertexId>& TypedGraph::of_rank(std::int64_t rank) const {
    const auto found = by_rank_.find(rank);
    return found == by_rank_.end() ? nothing : found->second;
}

const std::vector<VertexId>& TypedGraph::of_type(std::string_view type) const {
    const auto found = by_type_.find(type);
    return found == by_type_.end() ? nothing : found->second;
}

std::size_t TypedGraph::name_count() const {
    std::set<std::string_view> names;
    for (VertexId vertex = 0; vertex < vertex_count(); ++vertex)
        names.insert(graph_[vertex].name);
    return names.size();
}

std::optional<VertexId> TypedGraph::top_of_rank(std::int64_t rank,
                                                std::string_view subsystem) const {
    std::optional<VertexId> top;
    std::size_t shortest = SIZE_MAX;
    for (const VertexId vertex : of_rank(rank)) {
        const auto path = graph_[vertex].paths.find(subsystem);
        if (path == graph_[vertex].paths.end() || path->second.size() >= shortest) continue;
        shortest = path->second.size();
        top = vertex;
    }
    return top;
}

}  // namespace sluice
