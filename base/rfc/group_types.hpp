// Types of groups of nodes that a jobspec may name above its nodes, and [[resource.topology]] may
// define.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sluice {

inline constexpr std::array<std::string_view, 4> group_types{"switch", "rack", "chassis", "pod"};

inline bool is_group_type(std::string_view type) {
    return std::ranges::find(group_types, type) != group_types.end();
}

}  // namespace sluice
