// What the readers of resource graphs have in common: each adds a description in its format to a
// graph. A reader that fails leaves a graph that is to be thrown away; callers read into a new one.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "resource/graph/typed_graph.hpp"

namespace sluice {

enum class GraphFormat { grug, jgf, jgf_shorthand, rv1exec, rv1exec_force, hwloc };
/// Errors: EINVAL naming the word.
Result<GraphFormat> parse_graph_format(std::string_view name);

/// Reads a generation recipe, the field's GraphML (key, node, edge, data). Ranks are given to nodes
/// in the order they are made.
/// Errors: EINVAL naming the element, ELOOP for a recipe that contains itself, EOVERFLOW.
Result<void> read_grug(std::string_view text, TypedGraph& to);

/// Reads R version 1: a cluster with its nodes, and below them the children of R_lite in the order
/// they are written there.
/// Errors: EINVAL naming the key; EEXIST for a vertex that is there twice.
Result<void> read_rv1(std::string_view text, TypedGraph& to);

/// Adds what a JGF document describes and the graph has not yet.
/// Errors: EINVAL naming vertex or edge: dangling, doubled, of unknown shape; ELOOP for a cycle.
Result<void> read_jgf(std::string_view text, TypedGraph& to);

/// A host name's number at the end and the text before it; id -1 if there is none.
/// Errors: EINVAL if the number is over 2^63-1.
struct HostParts {
    std::string basename;
    std::int64_t id = -1;
};
Result<HostParts> split_host(std::string_view host);

}  // namespace sluice
