// The scheduler takes over what a job was given elsewhere, and changes its graph.
#include <algorithm>
#include <unordered_map>

#include "resource/reader/rv1_layout.hpp"
#include "resource/search/scheduler.hpp"

namespace sluice {

Result<VertexId> GraphScheduler::find_jgf_node(const JgfNode& node) const {
    std::optional<VertexId> found;
    for (const auto& [subsystem, path] : node.paths) {
        std::optional<VertexId> here;
        for (const VertexId vertex : graph_->at_path(path))
            if ((*graph_)[vertex].rank == node.rank) here = vertex;
        if (!here) return fail(ENOENT, "node {}: the graph has no {}", node.key, path);
        if (found && *found != *here)
            return fail(EINVAL, "node {}: its paths lead to different vertices", node.key);
        found = here;
    }
    const Vertex& known = (*graph_)[*found];
    if (known.type != node.type || known.basename != node.basename || known.size != node.size ||
        known.id != node.id || known.name != node.name)
        return fail(EINVAL, "node {}: {} is not what the graph has there", node.key, node.name);
    return *found;
}

/// Marks the edges of a JGF document. Returns what is to be taken whole.
Result<std::set<VertexId>> GraphScheduler::mark_jgf(std::string_view text, bool shorthand) {
    SLUICE_TRY(const Jgf jgf, Jgf::parse(text));
    std::unordered_map<std::string_view, std::pair<VertexId, bool>> known;  // exclusive
    std::set<VertexId> whole;
    searcher_->clear_marks();
    for (const JgfNode& node : jgf.nodes) {
        SLUICE_TRY(const VertexId vertex, find_jgf_node(node));
        if (jgf.free_ranks && node.rank >= 0 &&
            jgf.free_ranks->contains(static_cast<Idset::Id>(node.rank)))
            continue;
        known.emplace(node.key, std::pair{vertex, node.exclusive});
        if (node.exclusive) whole.insert(vertex);
        if (vertex == root()) searcher_->set_root_mark(node.size, node.exclusive);
        if (!shorthand || !node.exclusive) continue;
        // What is below a vertex that is given whole is not written down.
        for (const VertexId below : graph_->below(vertex, dominant())) {
            whole.insert(below);
            if (const auto edge = graph_->parent_edge(below, dominant()))
                searcher_->set_mark((*graph_)[*edge].id, (*graph_)[below].size, true);
        }
    }
    for (const JgfEdge& edge : jgf.edges) {
        const auto source = known.find(edge.source), target = known.find(edge.target);
        if (source == known.end() || target == known.end()) continue;
        const auto found = graph_->find_edge(source->second.first, target->second.first);
        if (!found)
            return fail(ENOENT, "edge {} -> {}: the graph has it not", edge.source, edge.target);
        const auto [vertex, exclusive] = target->second;
        searcher_->set_mark((*graph_)[*found].id, (*graph_)[vertex].size, exclusive);
    }
    return whole;
}

Result<std::set<VertexId>> GraphScheduler::mark_rv1(std::string_view R) {
    SLUICE_TRY(const Rv1Layout layout, Rv1Layout::parse(R));
    std::set<VertexId> whole;
    searcher_->clear_marks();
    searcher_->set_root_mark((*graph_)[root()].size, false);
    const auto mark = [&](VertexId vertex) {
        if (const auto edge = graph_->parent_edge(vertex, dominant()))
            searcher_->set_mark((*graph_)[*edge].id, (*graph_)[vertex].size, true);
    };
    for (const Rv1Layout::Entry& entry : layout.entries)
        for (const std::uint32_t rank : entry.ranks) {
            const auto node = graph_->top_of_rank(rank, dominant());
            if (!node) return fail(ENOENT, "R: the graph has no rank {}", rank);
            if (const auto host = layout.host_of(rank); host && *host != (*graph_)[*node].name)
                return fail(EINVAL, "R: rank {} is {} here, not {}", rank, (*graph_)[*node].name,
                            *host);
            mark(*node);
            std::size_t children = 0;
            for (const auto& [type, ids] : entry.children)
                for (const std::uint32_t id : ids) {
                    const std::string path = fmt::format(
                        "{}/{}{}", (*graph_)[*node].paths.at(dominant()), type, id);
                    const auto& at = graph_->at_path(path);
                    const auto child = std::ranges::find_if(at, [&](VertexId vertex) {
                        return (*graph_)[vertex].rank == rank;
                    });
                    if (child == at.end()) return fail(ENOENT, "R: the graph has no {}", path);
                    mark(*child);
                    whole.insert(*child);
                    ++children;
                }
            if (children + 1 == graph_->of_rank(rank).size()) whole.insert(*node);
        }
    return whole;
}

Result<void> GraphScheduler::check_free(const std::set<VertexId>& vertices, std::int64_t at,
                                        std::int64_t duration) const {
    for (const VertexId vertex : vertices)
        if (ledger_->free(vertex, at, duration) < (*graph_)[vertex].size)
            return fail(EBUSY, "{} is unavailable: another job has it then",
                        (*graph_)[vertex].name);
    return {};
}

Result<Placement> GraphScheduler::update(JobKey job, GraphFormat format, std::string_view text,
                                         std::int64_t at, std::int64_t duration, bool reserve) {
    if (at < 0 || duration <= 0)
        return fail(EINVAL, "invalid time ({}, {}): start 0 or later, for 1 second or more", at,
                    duration);
    if (holds(root(), job)) return fail(EEXIST, "job {} has resources already", job);
    if (format == GraphFormat::grug || format == GraphFormat::hwloc)
        return fail(ENOTSUP, "what a job has must be R or JGF");
    const bool is_R = format == GraphFormat::rv1exec || format == GraphFormat::rv1exec_force;
    SLUICE_TRY(const std::set<VertexId> whole,
               is_R ? mark_rv1(text) : mark_jgf(text, format == GraphFormat::jgf_shorthand));
    SLUICE_CHECK(check_free(whole, at, duration));
    for (const VertexId vertex : whole) {
        VertexState& state = ledger_->touch(vertex);
        const Span span{at, duration, (*graph_)[vertex].size};
        state.plan.add(span);
        (reserve ? state.reservations : state.allocations)[job] = span;
    }
    Booking booking{.job = job, .at = at, .duration = duration, .full = false};
    if (reserve) booking.mode = SearchTime::Mode::reserve;
    if (options_.policy.node_exclusive) booking.exclusive_types.emplace("node");
    return book(booking);
}

void GraphScheduler::resize() {
    ledger_->prime();
    searcher_->resize();
    walked_.resize(graph_->vertex_count());
}

Result<void> GraphScheduler::attach(std::string_view jgf) {
    // Read twice: the first time beside the graph, so that a fault leaves it as it is.
    {
        TypedGraph trial;
        SLUICE_TRY(const Jgf parsed, Jgf::parse(jgf));
        std::set<std::string> roots;
        for (const JgfNode& node : parsed.nodes)
            for (const auto& [subsystem, path] : node.paths)
                if (std::ranges::count(path, '/') == 1 && graph_->root(subsystem) &&
                    graph_->at_path(path).empty())
                    return fail(EEXIST, "{}: the graph has another root", path);
        SLUICE_CHECK(read_jgf(jgf, trial));
    }
    SLUICE_CHECK(read_jgf(jgf, *graph_));
    resize();
    return {};
}

void GraphScheduler::remove(const std::set<VertexId>& vertices) {
    std::set<JobKey> jobs;
    for (const VertexId vertex : vertices)
        if (const VertexState* state = ledger_->find(vertex))
            jobs.insert(state->tags.begin(), state->tags.end());
    for (const JobKey job : jobs) {
        std::set<VertexId> held;
        for (const VertexId vertex : vertices)
            if (holds(vertex, job)) held.insert(vertex);
        free_vertices(job, held);
    }
    graph_->remove(vertices);
    resize();
}

Result<void> GraphScheduler::remove_path(const std::string& path) {
    const auto& at = graph_->at_path(path);
    if (at.empty()) return fail(ENOENT, "the graph has no {}", path);
    if (at.back() == root()) return fail(EINVAL, "{} is the root: nothing would be left", path);
    std::set<VertexId> vertices = graph_->below(at.back(), dominant());
    vertices.insert(at.back());
    remove(vertices);
    return {};
}

Result<void> GraphScheduler::remove_ranks(const Idset& ranks) {
    std::set<VertexId> vertices;
    for (const std::uint32_t rank : ranks) {
        const auto& of_rank = graph_->of_rank(rank);
        if (of_rank.empty()) return fail(ENOENT, "the graph has no rank {}", rank);
        vertices.insert(of_rank.begin(), of_rank.end());
    }
    if (vertices.contains(root())) return fail(EINVAL, "the root is of those ranks");
    remove(vertices);
    return {};
}

Result<void> GraphScheduler::set_up(const std::string& path, bool up) {
    const auto& at = graph_->at_path(path);
    if (at.empty()) return fail(ENOENT, "could not find path {} in resource graph", path);
    for (const VertexId vertex : at) graph_->set_up(vertex, up);
    return {};
}

bool GraphScheduler::set_property(const std::string& path, const std::string& key,
                                  const std::string& value) {
    for (const VertexId vertex : graph_->at_path(path)) graph_->set_property(vertex, key, value);
    return !graph_->at_path(path).empty();
}

}  // namespace sluice
