// Trees drawn with connectors, as flux pstree prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

struct TreeNode {
    std::string label;
    std::size_t item = 0;   // what the node stands for, for the caller
    std::size_t count = 1;  // equal leaves merged into this one
    std::vector<TreeNode> children;
};

struct TreeConnectors {
    std::string_view through, branch, last, blank;
};
inline constexpr TreeConnectors box_connectors{"│   ", "├── ", "└── ", "    "};
inline constexpr TreeConnectors compact_connectors{"│ ", "├─", "└─", "  "};
inline constexpr TreeConnectors ascii_connectors{"|   ", "|-- ", "`-- ", "    "};

struct TreeLine {
    std::string text;  // connectors and label; "3*[label]" for merged leaves
    std::size_t item = 0;
};

/// Merges siblings that are leaves of the same label, at the place of the first.
void merge_equal_leaves(TreeNode& node);
/// Appends the lines of `node` and of what is below it.
void draw_tree(const TreeNode& node, const TreeConnectors& connectors,
               std::vector<TreeLine>& lines);

}  // namespace sluice
