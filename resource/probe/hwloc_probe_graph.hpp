// A machine's topology in hwloc's XML as a graph: a cluster with one node and below it, as far as
// they are wanted, groups, sockets, NUMA nodes, caches, cores, PUs, GPUs and block storage.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "resource/graph/typed_graph.hpp"

namespace sluice {

/// `wanted` names the kinds to keep (node, socket, L3cache, …); all if it is empty.
/// Errors: EINVAL when it is no topology or a block device has no size.
Result<void> read_hwloc(std::string_view xml, const std::set<std::string, std::less<>>& wanted,
                        TypedGraph& to);

}  // namespace sluice
