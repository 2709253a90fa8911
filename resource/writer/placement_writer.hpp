// What a job gets, in the formats of the field: simple and pretty_simple for people, rlite and R
// version 1 (rv1_nosched, or rv1 with the graph in its scheduling key), JGF; the shorthand forms
// leave out what is below a vertex that is given whole.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "resource/search/placement.hpp"

namespace sluice {

enum class PlacementFormat : std::uint8_t {
    simple, pretty_simple, rlite, rv1, rv1_nosched, rv1_shorthand, jgf, jgf_shorthand,
};
/// Errors: EINVAL naming the word.
Result<PlacementFormat> parse_placement_format(std::string_view name);

/// With a newline at the end; "" if there is nothing to write.
std::string write_placement(const TypedGraph& graph, const Placement& placement,
                            PlacementFormat format);
Json placement_to_jgf(const TypedGraph& graph, const Placement& placement, bool shorthand);

}  // namespace sluice
