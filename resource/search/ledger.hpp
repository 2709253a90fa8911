// Who has what of a graph, and when: for every vertex that any job touches a timeline of its
// amount, the jobs in and below it, and sums of what is in use below it (the pruning filter). A
// vertex that no job touches has no entry: state is made where it differs from idle.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "resource/graph/typed_graph.hpp"
#include "resource/plan/timeline.hpp"

namespace sluice {

using JobKey = std::int64_t;
/// Amounts by type, such as cores in a subtree.
using Amounts = std::map<std::string, std::uint64_t, std::less<>>;

/// Which types are summed at which vertices: "ALL:core,rack:node".
class FilterRules {
  public:
    /// Errors: EINVAL naming the pair.
    static Result<FilterRules> parse(std::string_view spec);
    void add(std::string_view anchor, std::string_view type);
    bool counts(std::string_view type) const { return all_.contains(type); }
    std::vector<std::string_view> types_at(std::string_view anchor) const;

  private:
    std::map<std::string, std::set<std::string, std::less<>>, std::less<>> by_anchor_;
    std::set<std::string, std::less<>> everywhere_, all_;
};

struct FilterSpan {
    std::int64_t start = 0, duration = 0;
    std::vector<std::uint64_t> amounts;
    friend bool operator==(const FilterSpan&, const FilterSpan&) = default;
};

struct VertexState {
    Timeline plan;                               // of the vertex's size
    std::map<JobKey, Span> allocations, reservations;
    Timeline visitors{UINT32_MAX};               // jobs in or below
    std::map<JobKey, Span> visits;
    std::set<JobKey> tags;
    std::vector<Timeline> filter;                // parallel to Ledger::filter_types
    std::map<JobKey, FilterSpan> in_filter;
    bool empty() const {
        return allocations.empty() && reservations.empty() && visits.empty() && tags.empty() &&
               in_filter.empty();
    }
    friend bool operator==(const VertexState&, const VertexState&) = default;
};

class Ledger {
  public:
    Ledger(const TypedGraph& graph, FilterRules rules, std::string_view subsystem)
        : graph_(graph), rules_(std::move(rules)), subsystem_(subsystem) {}

    /// Sums up what there is; again after the graph grew or shrank. What is in use stays.
    void prime();
    const FilterRules& rules() const { return rules_; }
    const std::vector<std::string_view>& filter_types(VertexId vertex) const {
        return filters_[vertex].types;
    }
    const std::vector<std::uint64_t>& filter_totals(VertexId vertex) const {
        return filters_[vertex].totals;
    }
    bool has_filter(VertexId vertex) const { return !filters_[vertex].types.empty(); }

    const VertexState* find(VertexId vertex) const { return states_[vertex].get(); }
    VertexState& touch(VertexId vertex);
    /// Forgets an entry that says nothing any more.
    void settle(VertexId vertex);

    std::uint64_t free(VertexId vertex, std::int64_t at, std::int64_t duration) const;
    bool visited(VertexId vertex, std::int64_t at, std::int64_t duration) const;
    bool held(VertexId vertex) const { return find(vertex) && !find(vertex)->allocations.empty(); }
    /// Could `least` be free below the vertex? Sums only: yes may be wrong, no is not.
    bool may_hold(VertexId vertex, const Amounts& least, std::int64_t at,
                  std::int64_t duration) const;
    /// The first moment from `from` on at which the sums at `vertex` allow for `least`.
    std::optional<std::int64_t> next_chance(VertexId vertex, const Amounts& least,
                                            std::int64_t from, std::int64_t duration) const;
    std::uint64_t filter_free_at(VertexId vertex, std::size_t type, std::int64_t at) const;
    bool filter_idle(VertexId vertex) const;

    void add_to_filter(VertexId vertex, JobKey job, std::int64_t start, std::int64_t duration,
                       const Amounts& used);
    void drop_from_filter(VertexId vertex, JobKey job);
    /// Takes back a part of what the job uses below. True if nothing is left.
    bool reduce_in_filter(VertexId vertex, JobKey job, const Amounts& freed);
    void add_visit(VertexId vertex, JobKey job, const Span& span);
    void drop_visit(VertexId vertex, JobKey job);
    std::size_t vertices_in_use() const;
    /// Equal state everywhere, whatever was booked and given back in between.
    friend bool operator==(const Ledger& a, const Ledger& b);

  private:
    struct Filter {
        std::vector<std::string_view> types;
        std::vector<std::uint64_t> totals;
    };
    void prime(VertexId vertex, std::map<std::string_view, std::uint64_t>& above,
               std::vector<bool>& seen);
    std::vector<std::uint64_t> needs(VertexId vertex, const Amounts& least) const;

    const TypedGraph& graph_;
    FilterRules rules_;
    std::string subsystem_;
    std::vector<Filter> filters_;
    std::vector<std::unique_ptr<VertexState>> states_;
};

}  // namespace sluice
