// The scheduler's changes to its ledger: the walk over the marked edges that books a job, and the
// ways back.
#include <algorithm>

#include "resource/reader/rv1_layout.hpp"
#include "resource/search/scheduler.hpp"

namespace sluice {

Placement GraphScheduler::book(const Booking& booking) {
    Placement placement;
    if (!searcher_->root_marked()) return placement;
    ++walk_;
    const Mark mark = searcher_->root_mark();
    Amounts all;
    if (walk({root(), mark.needs, mark.exclusive}, booking, placement, all) == 0) return {};
    placement.start = booking.at;
    placement.end = Span{booking.at, booking.duration, 0}.end();
    placement.queue = booking.queue;
    return placement;
}

/// Returns how many vertices at and below were given whole.
int GraphScheduler::walk(Visit visit, const Booking& booking, Placement& placement,
                         Amounts& above) {
    const TypedGraph& graph = *graph_;
    const bool whole =
        visit.whole || booking.exclusive_types.contains(graph[visit.vertex].type);
    visit.exclusive |= whole;
    walked_[visit.vertex] = walk_;
    int exclusive = 0;
    Amounts below;
    for (const auto& edge : graph.out(visit.vertex)) {
        const VertexId target = graph.to(edge);
        const EdgeId id = graph[edge].id;
        if (graph[edge].subsystem != dominant() || walked_[target] == walk_) continue;
        if (!whole && !searcher_->marked(id)) continue;
        const Mark mark = searcher_->mark(id);
        const int inside =
            walk({target, whole ? graph[target].size : mark.needs, whole || mark.exclusive, whole,
                  visit.exclusive, visit.depth + 1},
                 booking, placement, below);
        if (inside == 0) continue;
        if (options_.policy.stop_at_first && booking.mode != SearchTime::Mode::dry_run)
            update_weight(edge);
        placement.edges.push_back({edge, visit.exclusive});
        exclusive += inside;
    }
    exclusive += visit.exclusive;
    if (exclusive == 0) return 0;
    if (booking.mode != SearchTime::Mode::dry_run) note(visit, booking, below, above);
    placement.vertices.push_back({visit.vertex, visit.depth, visit.needs, visit.exclusive,
                                  visit.parent_exclusive, searcher_->label(visit.vertex), {}});
    return exclusive;
}

/// Writes one vertex of a job into the ledger.
void GraphScheduler::note(const Visit& visit, const Booking& booking, const Amounts& below,
                          Amounts& above) {
    const Vertex& what = (*graph_)[visit.vertex];
    if (visit.exclusive && booking.full) {
        VertexState& state = ledger_->touch(visit.vertex);
        const Span span{booking.at, booking.duration, visit.needs};
        state.plan.add(span);
        auto& spans = booking.mode == SearchTime::Mode::reserve ? state.reservations
                                                                : state.allocations;
        spans[booking.job] = span;
    }
    ledger_->add_visit(visit.vertex, booking.job, {booking.at, booking.duration, 1});
    if (ledger_->has_filter(visit.vertex) && !below.empty())
        ledger_->add_to_filter(visit.vertex, booking.job, booking.at, booking.duration, below);
    if (ledger_->rules().counts(what.type)) {
        const std::uint64_t used = visit.exclusive ? what.size : what.size - visit.needs;
        const auto found = above.find(what.type);
        if (found == above.end())
            above.emplace(what.type, used);
        else
            found->second += used;
    }
    for (const auto& [type, amount] : below) above[type] += amount;
}

/// The scarcest type, which is named last, tells how promising a subtree is.
void GraphScheduler::update_weight(const TypedGraph::EdgeRef& edge) {
    const VertexId target = graph_->to(edge);
    const std::size_t types = ledger_->filter_types(target).size();
    if (types == 0) return;
    const std::uint64_t free = ledger_->filter_free_at(target, types - 1, 0);
    if (free == 0 && ledger_->filter_idle(target)) return;
    searcher_->set_weight(edge, free);
}

bool GraphScheduler::holds(VertexId vertex, JobKey job) const {
    const VertexState* state = ledger_->find(vertex);
    return state && state->tags.contains(job);
}

std::uint64_t GraphScheduler::release(VertexId vertex, JobKey job) {
    VertexState& state = ledger_->touch(vertex);
    std::uint64_t amount = 0;
    for (auto* spans : {&state.allocations, &state.reservations})
        if (const auto found = spans->find(job); found != spans->end()) {
            amount = found->second.amount;
            state.plan.remove(found->second);
            spans->erase(found);
        }
    ledger_->drop_visit(vertex, job);
    ledger_->drop_from_filter(vertex, job);
    ledger_->settle(vertex);
    return amount;
}

void GraphScheduler::cancel_below(VertexId vertex, JobKey job) {
    ++preorder_;
    walked_[vertex] = walk_;
    if (!holds(vertex, job)) return;
    release(vertex, job);
    for (const auto& edge : graph_->out(vertex))
        if ((*graph_)[edge].subsystem == dominant() && walked_[graph_->to(edge)] != walk_)
            cancel_below(graph_->to(edge), job);
    ++postorder_;
}

Result<void> GraphScheduler::cancel(JobKey job) {
    preorder_ = postorder_ = 0;
    if (graph_->root(dominant()) && holds(root(), job)) {
        ++walk_;
        cancel_below(root(), job);
        return {};
    }
    bool any = false;
    for (VertexId vertex = 0; vertex < graph_->vertex_count(); ++vertex) {
        const VertexState* state = ledger_->find(vertex);
        if (!state || !(state->allocations.contains(job) || state->reservations.contains(job)))
            continue;
        release(vertex, job);
        any = true;
    }
    if (!any) return fail(ENOENT, "job {} has nothing here", job);
    return {};
}

Result<bool> GraphScheduler::cancel_part(JobKey job, GraphFormat format, std::string_view text) {
    preorder_ = postorder_ = 0;
    if (format != GraphFormat::jgf && format != GraphFormat::rv1exec)
        return fail(ENOTSUP, "a part to cancel must be R or JGF");
    SLUICE_TRY(const std::set<VertexId> vertices, format == GraphFormat::jgf
                                                      ? vertices_of_jgf(job, text)
                                                      : vertices_of_ranks(job, text));
    free_vertices(job, vertices);
    return !holds(root(), job);
}

/// Frees vertices; what contains them keeps the job as long as something else of it is below.
void GraphScheduler::free_vertices(JobKey job, const std::set<VertexId>& vertices) {
    std::map<VertexId, Amounts> freed;               // by what contains it
    std::map<std::size_t, std::set<VertexId>> by_depth;  // of what contains it
    for (const VertexId vertex : vertices) {
        const std::uint64_t amount = release(vertex, job);
        std::vector<VertexId> above;
        for (auto edge = graph_->parent_edge(vertex, dominant()); edge;
             edge = graph_->parent_edge(graph_->from(*edge), dominant()))
            above.push_back(graph_->from(*edge));
        for (std::size_t i = 0; i < above.size(); ++i) {
            if (vertices.contains(above[i])) continue;
            freed[above[i]][std::string{(*graph_)[vertex].type}] += amount;
            by_depth[above.size() - i].insert(above[i]);
        }
    }
    for (auto level = by_depth.rbegin(); level != by_depth.rend(); ++level)
        for (const VertexId vertex : level->second) {
            if (!holds(vertex, job)) continue;
            ledger_->reduce_in_filter(vertex, job, freed[vertex]);
            const auto edges = graph_->out(vertex);
            const bool left = std::any_of(edges.begin(), edges.end(), [&](const auto& edge) {
                return (*graph_)[edge].subsystem == dominant() && holds(graph_->to(edge), job);
            });
            if (!left) release(vertex, job);
        }
}

Result<std::set<VertexId>> GraphScheduler::vertices_of_ranks(JobKey job,
                                                             std::string_view R) const {
    SLUICE_TRY(const Rv1Layout layout, Rv1Layout::parse(R));
    std::set<VertexId> vertices;
    for (const std::uint32_t rank : layout.ranks) {
        const auto& of_rank = graph_->of_rank(rank);
        if (of_rank.empty()) return fail(ENOENT, "R: the graph has no rank {}", rank);
        for (const VertexId vertex : of_rank)
            if (holds(vertex, job)) vertices.insert(vertex);
    }
    return vertices;
}

Result<std::set<VertexId>> GraphScheduler::vertices_of_jgf(JobKey job,
                                                           std::string_view text) const {
    SLUICE_TRY(const Jgf jgf, Jgf::parse(text));
    std::set<VertexId> vertices;
    for (const JgfNode& node : jgf.nodes) {
        SLUICE_TRY(const VertexId vertex, find_jgf_node(node));
        const VertexState* state = ledger_->find(vertex);
        if (!state || !state->allocations.contains(job))
            return fail(EINVAL, "job {} has not {}", job, (*graph_)[vertex].name);
        vertices.insert(vertex);
    }
    return vertices;
}

}  // namespace sluice
