#include "resource/search/ledger.hpp"

#include <algorithm>

namespace sluice {

Result<FilterRules> FilterRules::parse(std::string_view spec) {
    FilterRules rules;
    while (!spec.empty()) {
        const std::string_view pair = spec.substr(0, spec.find(','));
        spec.remove_prefix(std::min(spec.size(), pair.size() + 1));
        std::string word{pair};
        std::erase_if(word, [](char c) { return c == ' ' || c == '\t'; });
        const auto colon = word.find(':');
        if (colon == std::string::npos || colon == 0 || colon + 1 == word.size())
            return fail(EINVAL, "prune filter '{}' must be HIGH:LOW, as in rack:node", pair);
        rules.add(word.substr(0, colon), word.substr(colon + 1));
    }
    return rules;
}

void FilterRules::add(std::string_view anchor, std::string_view type) {
    all_.emplace(type);
    if (anchor == "ALL") {
        for (auto& [name, types] : by_anchor_)
            if (const auto at = types.find(type); at != types.end()) types.erase(at);
        everywhere_.emplace(type);
    } else if (!everywhere_.contains(type)) {
        by_anchor_[std::string{anchor}].emplace(type);
    }
}

std::vector<std::string_view> FilterRules::types_at(std::string_view anchor) const {
    std::vector<std::string_view> types;
    if (const auto own = by_anchor_.find(anchor); own != by_anchor_.end())
        types.assign(own->second.begin(), own->second.end());
    for (const std::string& type : everywhere_)
        if (type != anchor) types.push_back(type);
    return types;
}

void Ledger::prime() {
    filters_.assign(graph_.vertex_count(), {});
    states_.resize(graph_.vertex_count());
    std::map<std::string_view, std::uint64_t> all;
    std::vector<bool> seen(graph_.vertex_count());
    if (const auto root = graph_.root(subsystem_)) prime(*root, all, seen);
}

void Ledger::prime(VertexId vertex, std::map<std::string_view, std::uint64_t>& above,
                   std::vector<bool>& seen) {
    seen[vertex] = true;
    const Vertex& what = graph_[vertex];
    if (graph_.leaf(vertex)) {
        // The root tells of every kind of leaf how much there is.
        if (!rules_.counts(what.type)) rules_.add("cluster", what.type);
        above[what.type] += what.size;
        return;
    }
    if (rules_.counts(what.type)) above[what.type] += what.size;
    std::map<std::string_view, std::uint64_t> below;
    for (const auto& edge : graph_.out(vertex))
        if (graph_[edge].subsystem == subsystem_ && !seen[graph_.to(edge)])
            prime(graph_.to(edge), below, seen);
    for (const auto& [type, amount] : below)
        if (rules_.counts(type)) above[type] += amount;
    Filter& filter = filters_[vertex];
    for (const std::string_view type : rules_.types_at(what.type)) {
        const auto found = below.find(type);
        filter.types.push_back(type);
        filter.totals.push_back(found == below.end() ? 0 : found->second);
    }
    if (VertexState* state = states_[vertex].get()) {
        state->filter.resize(filter.totals.size());
        for (std::size_t i = 0; i < filter.totals.size(); ++i)
            state->filter[i].set_total(filter.totals[i]);
    }
}

VertexState& Ledger::touch(VertexId vertex) {
    auto& state = states_[vertex];
    if (!state) {
        state = std::make_unique<VertexState>();
        state->plan.set_total(graph_[vertex].size);
        for (const std::uint64_t total : filters_[vertex].totals) state->filter.emplace_back(total);
    }
    return *state;
}

void Ledger::settle(VertexId vertex) {
    if (states_[vertex] && states_[vertex]->empty()) states_[vertex].reset();
}

std::uint64_t Ledger::free(VertexId vertex, std::int64_t at, std::int64_t duration) const {
    const VertexState* state = find(vertex);
    return state ? state->plan.free_during(at, duration) : graph_[vertex].size;
}

bool Ledger::visited(VertexId vertex, std::int64_t at, std::int64_t duration) const {
    const VertexState* state = find(vertex);
    return state && state->visitors.free_during(at, duration) < state->visitors.total();
}

std::vector<std::uint64_t> Ledger::needs(VertexId vertex, const Amounts& least) const {
    std::vector<std::uint64_t> needs;
    for (const std::string_view type : filters_[vertex].types) {
        const auto found = least.find(type);
        needs.push_back(found == least.end() ? 0 : found->second);
    }
    return needs;
}

bool Ledger::may_hold(VertexId vertex, const Amounts& least, std::int64_t at,
                      std::int64_t duration) const {
    const std::vector<std::uint64_t> wanted = needs(vertex, least);
    const VertexState* state = find(vertex);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] > filters_[vertex].totals[i]) return false;
        if (state && !state->filter[i].fits(at, duration, wanted[i])) return false;
    }
    return true;
}

std::optional<std::int64_t> Ledger::next_chance(VertexId vertex, const Amounts& least,
                                                std::int64_t from, std::int64_t duration) const {
    const VertexState* state = find(vertex);
    if (!state || state->filter.empty()) return std::nullopt;
    const auto next_of_any = [&](std::int64_t after) {
        std::optional<std::int64_t> soonest;
        for (const Timeline& timeline : state->filter) {
            const auto next = timeline.next_change(after);
            if (next && (!soonest || *next < *soonest)) soonest = next;
        }
        return soonest;
    };
    for (auto at = next_of_any(from); at; at = next_of_any(*at + 1))
        if (may_hold(vertex, least, *at, duration)) return at;
    return std::nullopt;
}

std::uint64_t Ledger::filter_free_at(VertexId vertex, std::size_t type, std::int64_t at) const {
    const VertexState* state = find(vertex);
    return state ? state->filter[type].free_at(at) : filters_[vertex].totals[type];
}

bool Ledger::filter_idle(VertexId vertex) const {
    const VertexState* state = find(vertex);
    return !state || state->in_filter.empty();
}

void Ledger::add_to_filter(VertexId vertex, JobKey job, std::int64_t start, std::int64_t duration,
                           const Amounts& used) {
    VertexState& state = touch(vertex);
    FilterSpan span{start, duration, needs(vertex, used)};
    for (std::size_t i = 0; i < span.amounts.size(); ++i)
        state.filter[i].add({start, duration, span.amounts[i]});
    state.in_filter[job] = std::move(span);
}

void Ledger::drop_from_filter(VertexId vertex, JobKey job) {
    VertexState& state = touch(vertex);
    const auto found = state.in_filter.find(job);
    if (found == state.in_filter.end()) return;
    const FilterSpan& span = found->second;
    for (std::size_t i = 0; i < span.amounts.size(); ++i)
        state.filter[i].remove({span.start, span.duration, span.amounts[i]});
    state.in_filter.erase(found);
}

bool Ledger::reduce_in_filter(VertexId vertex, JobKey job, const Amounts& freed) {
    VertexState& state = touch(vertex);
    const auto found = state.in_filter.find(job);
    if (found == state.in_filter.end()) return true;
    FilterSpan& span = found->second;
    const std::vector<std::uint64_t> less = needs(vertex, freed);
    bool left = false;
    for (std::size_t i = 0; i < span.amounts.size(); ++i) {
        state.filter[i].remove({span.start, span.duration, span.amounts[i]});
        span.amounts[i] -= std::min(span.amounts[i], less[i]);
        state.filter[i].add({span.start, span.duration, span.amounts[i]});
        left |= span.amounts[i] > 0;
    }
    if (!left) drop_from_filter(vertex, job);
    return !left;
}

void Ledger::add_visit(VertexId vertex, JobKey job, const Span& span) {
    VertexState& state = touch(vertex);
    state.tags.insert(job);
    state.visitors.add(span);
    state.visits[job] = span;
}

void Ledger::drop_visit(VertexId vertex, JobKey job) {
    VertexState& state = touch(vertex);
    state.tags.erase(job);
    if (const auto found = state.visits.find(job); found != state.visits.end()) {
        state.visitors.remove(found->second);
        state.visits.erase(found);
    }
}

std::size_t Ledger::vertices_in_use() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(states_, [](const auto& state) { return state != nullptr; }));
}

bool operator==(const Ledger& a, const Ledger& b) {
    return std::ranges::equal(a.states_, b.states_, [](const auto& x, const auto& y) {
        return x && y ? *x == *y : x == y;
    });
}

}  // namespace sluice
