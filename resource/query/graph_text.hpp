// A graph written for other tools: Graphviz dot and GraphML.
#pragma once

#include <string>

#include "resource/graph/typed_graph.hpp"

namespace sluice {

std::string write_dot(const TypedGraph& graph);
std::string write_graphml(const TypedGraph& graph);

}  // namespace sluice
