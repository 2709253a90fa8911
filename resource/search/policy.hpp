// Match policies: which of the vertices that would do is taken first.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace sluice {

struct MatchPolicy {
    enum class Order : std::uint8_t {
        low,        // lowest ids first
        high,       // highest ids first
        locality,   // the ids that lie together in the longest runs, upper runs first
        variation,  // the lowest property perf_class first
    } order = Order::high;
    bool node_centric = false;    // a node's id weighs more than those of what it holds
    bool node_exclusive = false;  // whole nodes
    bool stop_at_first = false;   // ends when enough is found; freest and youngest are seen first

    /// first, firstnodex, low, high, lonode, hinode, lonodex, hinodex, locality, variation, or
    /// options as "policy=low node_centric=true node_exclusive=true stop_on_1_matches=false".
    /// Errors: EINVAL naming the word.
    static Result<MatchPolicy> parse(std::string_view text);
    friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

}  // namespace sluice
