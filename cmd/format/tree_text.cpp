#include "cmd/format/tree_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {

namespace {

void draw(const TreeNode& node, const TreeConnectors& connectors, const std::string& before,
          const std::string& below, std::vector<TreeLine>& lines) {
    const std::string label =
        node.count > 1 ? fmt::format("{}*[{}]", node.count, node.label) : node.label;
    lines.push_back({before + label, node.item});
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        const bool last = i + 1 == node.children.size();
        draw(node.children[i], connectors,
             below + std::string(last ? connectors.last : connectors.branch),
             below + std::string(last ? connectors.blank : connectors.through), lines);
    }
}

}  // namespace

void merge_equal_leaves(TreeNode& node) {
    std::vector<TreeNode> kept;
    for (TreeNode& child : node.children) {
        merge_equal_leaves(child);
        const auto same = std::ranges::find_if(kept, [&](const TreeNode& other) {
            return child.children.empty() && other.children.empty() && other.label == child.label;
        });
        if (same == kept.end())
            kept.push_back(std::move(child));
        else
            same->count += child.count;
    }
    node.children = std::move(kept);
}

void draw_tree(const TreeNode& node, const TreeConnectors& connectors,
               std::vector<TreeLine>& lines) {
    draw(node, connectors, "", "", lines);
}

}  // namespace sluice
