// The scheduler's find: what matches, and what leads to it.
#include "resource/search/scheduler.hpp"

namespace sluice {
namespace {

/// What is in use of the types that are summed at a vertex, by all jobs or by one.
std::map<std::string, std::string> sums_at(const Ledger& ledger, VertexId vertex,
                                           std::optional<JobKey> job) {
    std::map<std::string, std::string> sums;
    const auto& types = ledger.filter_types(vertex);
    const VertexState* state = ledger.find(vertex);
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::uint64_t total = ledger.filter_totals(vertex)[i];
        std::uint64_t used = total - ledger.filter_free_at(vertex, i, 0);
        if (job) {
            if (!state || !state->in_filter.contains(*job)) return {};
            used = state->in_filter.at(*job).amounts[i];
        }
        sums.emplace(types[i], fmt::format("used:{}, total:{}", used, total));
    }
    return sums;
}

}  // namespace

/// Returns how many vertices were found at and below.
int GraphScheduler::find_below(VertexId vertex, const FindExpression& wanted, FindFacts facts,
                               int depth, Placement& placement) {
    const VertexState* state = ledger_->find(vertex);
    const Vertex& what = (*graph_)[vertex];
    facts.down |= !what.up;
    facts.allocated |= state && !state->allocations.empty();
    facts.reserved |= state && !state->reservations.empty();
    walked_[vertex] = walk_;
    int found = 0;
    for (const auto& edge : graph_->out(vertex)) {
        if ((*graph_)[edge].subsystem != dominant() || walked_[graph_->to(edge)] == walk_) continue;
        const int below = find_below(graph_->to(edge), wanted, facts, depth + 1, placement);
        if (below > 0) placement.edges.push_back({edge, false});
        found += below;
    }
    if (!wanted.matches(what, state, facts) && found == 0) return 0;
    PlacedVertex placed{vertex, depth, what.size, true, false, {}, {}};
    if (wanted.sums()) {
        placed.sums = sums_at(*ledger_, vertex, wanted.job());
        if (placed.sums.empty()) return 0;
    }
    placement.vertices.push_back(std::move(placed));
    return found + 1;
}

Result<Placement> GraphScheduler::find(const std::string& criteria) {
    SLUICE_TRY(const FindExpression wanted, FindExpression::parse(criteria));
    ++walk_;
    Placement placement;
    find_below(root(), wanted, {}, 1, placement);
    return placement;
}

}  // namespace sluice
