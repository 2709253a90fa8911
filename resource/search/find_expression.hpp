// Criteria of find: "status=down and (sched-now=allocated or names=node[0-3])". Predicates stand
// one after the other, joined by and, or, or nothing, which means and; from left to right, without
// precedence.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "resource/graph/typed_graph.hpp"
#include "resource/search/ledger.hpp"

namespace sluice {

/// What a vertex inherits from those above it.
struct FindFacts {
    bool down = false, allocated = false, reserved = false;
};

class FindExpression {
  public:
    /// Errors: EINVAL "invalid criteria: …".
    static Result<FindExpression> parse(std::string_view criteria);
    bool matches(const Vertex& vertex, const VertexState* state, FindFacts facts) const;
    /// The last job that any predicate names, and whether sums were asked for (agfilter=true).
    std::optional<JobKey> job() const { return job_; }
    bool sums() const { return sums_; }

  private:
    enum class Kind : std::uint8_t {
        all, status_up, status_down, now_allocated, now_free, future_reserved, future_free,
        job_allocated, job_reserved, job_span, job_tag, names, property, constant,
    };
    struct Term {
        Kind kind = Kind::all;
        bool constant = false;
        JobKey job = 0;
        std::string property;
        std::vector<std::string> names;  // sorted
        std::vector<Term> parts;
        bool joined_by_or = false;  // to the part before it
        bool matches(const Vertex& vertex, const VertexState* state, FindFacts facts) const;
    };
    Result<Term> parse_all(std::string_view text, int depth);
    Result<Term> parse_one(std::string_view& text, int depth);
    Result<Term> parse_predicate(std::string_view key, std::string_view value);

    Term root_;
    std::optional<JobKey> job_;
    bool sums_ = false;
};

}  // namespace sluice
