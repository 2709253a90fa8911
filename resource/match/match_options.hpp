// How the matcher chooses among nodes that would do.
#pragma once

#include <cstdint>

namespace sluice {

/// Which node, core and GPU comes first when several would do.
enum class NodeOrder : std::uint8_t { lowest_first, highest_first };

struct MatchOptions {
    NodeOrder order = NodeOrder::lowest_first;
    bool whole_nodes = false;  // every job gets whole nodes, asked or not
    bool together = true;      // in as few switches as can be, where they are known
    friend bool operator==(const MatchOptions&, const MatchOptions&) = default;
};

}  // namespace sluice
