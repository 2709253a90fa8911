// The general scheduler over one graph: match now, later or at all; book, cancel in whole or in
// part; take over what a job has already; grow and shrink; status; find. A call that fails leaves
// graph and ledger as they were.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "resource/graph/typed_graph.hpp"
#include "resource/reader/jgf.hpp"
#include "resource/reader/reader.hpp"
#include "resource/request/request.hpp"
#include "resource/search/find_expression.hpp"
#include "resource/search/ledger.hpp"
#include "resource/search/placement.hpp"
#include "resource/search/policy.hpp"
#include "resource/search/searcher.hpp"

namespace sluice {

enum class MatchOp : std::uint8_t {
    allocate,
    allocate_orelse_reserve,
    allocate_with_satisfiability,
    satisfiability,
    without_allocating,
    without_allocating_future,
};
/// Errors: EINVAL naming the word.
Result<MatchOp> parse_match_op(std::string_view word);

struct MatchAnswer {
    enum class Kind : std::uint8_t { matched, busy, unsatisfiable } kind = Kind::busy;
    std::int64_t at = 0;
    Placement placement;
    std::string message;  // why not, where it is more than "nothing is free"
};

class GraphScheduler {
  public:
    struct Options {
        MatchPolicy policy;
        std::vector<std::string> subsystems{std::string{containment}};  // the dominant one first
        std::string prune_filters = "ALL:core,ALL:node";
        bool flexible = false;
        bool prune = true;  // false: the sums are not looked at (tests compare both)
        /// Seconds the graph lives: no job is longer.
        std::int64_t lifetime = 3153600000;
    };
    /// Errors: EINVAL for a filter, ENOTSUP for a subsystem that the graph has not.
    static Result<std::unique_ptr<GraphScheduler>> make(std::unique_ptr<TypedGraph> graph,
                                                        Options options);

    /// Errors: EINVAL for a request that cannot be asked of any graph.
    Result<MatchAnswer> match(const JobRequest& request, MatchOp op, JobKey job);
    /// Frees everything that the job has. Errors: ENOENT.
    Result<void> cancel(JobKey job);
    /// Frees what R or JGF names. True if the job has nothing left.
    /// Errors: ENOENT, EINVAL naming what the job does not have.
    Result<bool> cancel_part(JobKey job, GraphFormat format, std::string_view text);
    /// Books what R or JGF names, as it was given elsewhere.
    /// Errors: EINVAL naming what the graph has not or what is in use.
    Result<Placement> update(JobKey job, GraphFormat format, std::string_view text,
                             std::int64_t at, std::int64_t duration, bool reserve);

    /// Errors: EINVAL, ELOOP as read_jgf.
    Result<void> attach(std::string_view jgf);
    /// Errors: ENOENT.
    Result<void> remove_path(const std::string& path);
    Result<void> remove_ranks(const Idset& ranks);
    /// The vertex at the path; those below follow, because no search gets past it.
    Result<void> set_up(const std::string& path, bool up);
    bool set_property(const std::string& path, const std::string& key, const std::string& value);
    /// Errors: EINVAL for a wrong expression.
    Result<Placement> find(const std::string& criteria);

    const TypedGraph& graph() const { return *graph_; }
    const Ledger& ledger() const { return *ledger_; }
    std::uint64_t preorder() const { return preorder_; }
    std::uint64_t postorder() const { return postorder_; }

  private:
    GraphScheduler(std::unique_ptr<TypedGraph> graph, Options options, FilterRules rules);
    struct Booking {
        JobKey job = 0;
        std::int64_t at = 0, duration = 0;
        SearchTime::Mode mode = SearchTime::Mode::allocate;
        bool full = true;  // also the plans of the vertices; false: they are booked already
        std::set<std::string, std::less<>> exclusive_types;
        std::string queue;
    };
    /// One vertex on the walk over what was marked.
    struct Visit {
        VertexId vertex = 0;
        std::uint64_t needs = 0;
        bool exclusive = false;
        bool whole = false;  // everything below goes with it
        bool parent_exclusive = false;
        int depth = 1;
    };
    struct Try;
    std::string_view dominant() const { return subsystems_.front(); }
    VertexId root() const { return *graph_->root(dominant()); }
    Result<MatchAnswer> answer(Try& attempt, MatchOp op, JobKey job);
    bool attempt(Try& attempt, SearchTime::Mode mode, std::int64_t at);
    bool reachable(VertexId vertex) const;
    bool enough_nodes(const Try& attempt, MatchOp op) const;
    bool later(Try& attempt, SearchTime::Mode mode);
    bool ever(Try& attempt);
    void least_of(std::vector<Request>& requests, Amounts& above,
                  std::set<std::string, std::less<>>& exclusive) const;
    Placement book(const Booking& booking);
    int walk(Visit visit, const Booking& booking, Placement& placement, Amounts& above);
    void note(const Visit& visit, const Booking& booking, const Amounts& below, Amounts& above);
    void update_weight(const TypedGraph::EdgeRef& edge);
    void cancel_below(VertexId vertex, JobKey job);
    bool holds(VertexId vertex, JobKey job) const;
    /// Frees one vertex; what the job had of it.
    std::uint64_t release(VertexId vertex, JobKey job);
    Result<std::set<VertexId>> vertices_of_ranks(JobKey job, std::string_view R) const;
    Result<std::set<VertexId>> vertices_of_jgf(JobKey job, std::string_view jgf) const;
    void free_vertices(JobKey job, const std::set<VertexId>& vertices);
    Result<VertexId> find_jgf_node(const JgfNode& node) const;
    Result<std::set<VertexId>> mark_jgf(std::string_view jgf, bool shorthand);
    Result<std::set<VertexId>> mark_rv1(std::string_view R);
    Result<void> check_free(const std::set<VertexId>& vertices, std::int64_t at,
                            std::int64_t duration) const;
    void remove(const std::set<VertexId>& vertices);
    void resize();
    int find_below(VertexId vertex, const FindExpression& wanted, FindFacts facts, int depth,
                   Placement& placement);

    std::unique_ptr<TypedGraph> graph_;
    Options options_;
    std::vector<std::string> subsystems_;
    std::unique_ptr<Ledger> ledger_;
    std::unique_ptr<Searcher> searcher_;
    std::vector<std::uint64_t> walked_;  // by vertex: the walk that saw it last
    std::uint64_t walk_ = 0, preorder_ = 0, postorder_ = 0;
};

}  // namespace sluice
