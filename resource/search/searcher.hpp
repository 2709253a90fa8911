// Finds what a job asks for in a graph at one moment: depth first through the dominant subsystem,
// pruned by status, constraint, time and sums, best-scored first where a request is met. The answer
// is a set of marked edges; booking.hpp walks them.
//
// A request may leave out levels above the first type it names (socket > core finds sockets
// anywhere), never between two that it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "base/rfc/constraint.hpp"
#include "resource/request/request.hpp"
#include "resource/search/findings.hpp"
#include "resource/search/ledger.hpp"
#include "resource/search/policy.hpp"

namespace sluice {

/// When, and how hard the question is.
struct SearchTime {
    enum class Mode : std::uint8_t { allocate, reserve, satisfiable, dry_run } mode;
    std::int64_t now = 0, at = 0, duration = 0;
};

struct Mark {
    std::uint64_t sequence = 0;  // of the search that set it
    std::uint64_t needs = 0;
    bool exclusive = false;
};

class Searcher {
  public:
    struct Options {
        MatchPolicy policy;
        std::vector<std::string_view> subsystems;  // the dominant one first
        bool flexible = false;  // slots beside each other are alternatives
    };
    Searcher(const TypedGraph& graph, const Ledger& ledger, Options options);
    /// The graph grew or shrank.
    void resize();

    /// Marks what to take. False if it is not there at that time; error() may say why.
    bool select(const std::vector<Request>& resources, const Constraint& constraint,
                SearchTime time);

    /// Does the constraint allow for the vertex? It speaks of nodes and storage nodes only.
    bool admitted(VertexId vertex, const Constraint& constraint) const;
    const Mark& mark(EdgeId edge) const { return marks_[edge]; }
    const Mark& root_mark() const { return root_mark_; }
    /// For booking what was not searched for here (search/update.hpp): starts an empty selection.
    void clear_marks() { ++sequence_; }
    void set_mark(EdgeId edge, std::uint64_t needs, bool exclusive) {
        marks_[edge] = {sequence_, needs, exclusive};
    }
    void set_root_mark(std::uint64_t needs, bool exclusive) {
        root_mark_ = {sequence_, needs, exclusive};
    }
    bool marked(EdgeId edge) const { return marks_[edge].sequence == sequence_; }
    bool root_marked() const { return root_mark_.sequence == sequence_; }
    /// The label that a request gave to a vertex, of the last search.
    std::string_view label(VertexId vertex) const;
    /// A vertex that has more free is seen first by the policies that stop at the first match.
    void set_weight(const TypedGraph::EdgeRef& edge, std::uint64_t weight);

    const std::string& error() const { return error_; }
    void clear_error() { error_.clear(); }
    std::uint64_t preorder() const { return preorder_; }
    std::uint64_t postorder() const { return postorder_; }
    const Options& options() const { return options_; }

  private:
    using Requests = std::vector<Request>;
    using Edges = std::multimap<std::pair<std::uint64_t, std::int64_t>, TypedGraph::EdgeRef,
                                std::greater<>>;
    enum class Kind : std::uint8_t { none, above, resource, slot };
    /// What a vertex is to the requests, and which are to be met below it.
    struct Step {
        Kind kind = Kind::none;
        const Requests* next = nullptr;
        std::uint64_t slots = 0;
        bool pristine = true;
    };
    enum class Way : std::uint8_t { down, aside };

    Step step(VertexId vertex, const Requests& requests, bool pristine);
    bool has_children_for(VertexId vertex, const Request& slot) const;
    bool visit(VertexId vertex, const Requests& requests, bool pristine, bool& exclusive,
               Findings& above);
    bool visit_aside(VertexId vertex, std::size_t subsystem, const Requests& requests,
                     bool pristine, bool& exclusive, Findings& above);
    bool finish(VertexId vertex, const Requests& requests, Findings& found, Findings& above);
    bool prune(VertexId vertex, std::size_t subsystem, const Requests& requests, bool exclusive);
    bool usable(VertexId vertex, const Request& request, bool exclusive);
    bool explore(VertexId vertex, std::size_t subsystem, const Requests& requests, bool pristine,
                 bool exclusive, Way way, Findings& found, std::uint64_t shares = 1);
    bool explore_edge(const TypedGraph::EdgeRef& edge, std::size_t subsystem,
                      const Requests& requests, bool pristine, bool exclusive, Way way,
                      Findings& found);
    bool explore_until_enough(VertexId vertex, std::size_t subsystem, const Requests& requests,
                              bool pristine, bool exclusive, Way way, Findings& found,
                              std::uint64_t shares);
    bool find_slots(VertexId vertex, const Requests& shape, std::uint64_t slots, bool pristine,
                    Findings& found);
    bool find_alternatives(VertexId vertex, const Requests& slots, std::uint64_t count,
                           bool pristine, Findings& found);
    void mark_chosen(const Findings& found, VertexId here);
    void mark_upward(const TypedGraph::EdgeRef& edge, const Findings& found, VertexId here);
    bool choose_at_root(VertexId root, const Requests& resources, Findings& found, bool exclusive);
    std::int64_t score(VertexId vertex) const;
    const Edges& ordered(VertexId vertex);
    std::string_view name(std::size_t subsystem) const { return options_.subsystems[subsystem]; }

    const TypedGraph& graph_;
    const Ledger& ledger_;
    Options options_;
    std::vector<Mark> marks_;
    std::vector<std::uint64_t> seen_;  // by vertex: the search that saw it last
    std::vector<std::uint64_t> weights_;
    std::unordered_map<VertexId, Edges> order_;
    std::unordered_map<VertexId, std::string> labels_;
    Mark root_mark_;
    std::uint64_t sequence_ = 0, preorder_ = 0, postorder_ = 0;
    std::int64_t node_score_ = 0;  // of the node that is being visited
    SearchTime time_{};
    const Constraint* constraint_ = nullptr;
    std::string error_;
};

}  // namespace sluice
