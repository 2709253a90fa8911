#include "cmd/format/tree_text.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TreeNode leaf(std::string label) {
    return {std::move(label), 0, 1, {}};
}

std::string drawn(const TreeNode& node, const TreeConnectors& connectors = box_connectors) {
    std::vector<TreeLine> lines;
    draw_tree(node, connectors, lines);
    std::string text;
    for (const TreeLine& line : lines) text += line.text + "\n";
    return text;
}

TreeNode example() {
    TreeNode inner{"flux", 0, 1, {leaf("sleep"), leaf("sleep")}};
    TreeNode outer{"flux", 0, 1, {std::move(inner), leaf("hostname")}};
    return {".", 0, 1, {std::move(outer)}};
}

TEST(TreeText, MergesEqualLeavesOnly) {
    TreeNode tree = example();
    merge_equal_leaves(tree);
    EXPECT_EQ(drawn(tree),
              ".\n"
              "└── flux\n"
              "    ├── flux\n"
              "    │   └── 2*[sleep]\n"
              "    └── hostname\n");
}

TEST(TreeText, MergesAtThePlaceOfTheFirst) {
    TreeNode tree{"r", 0, 1, {leaf("a"), leaf("b"), leaf("a"), {"a", 0, 1, {leaf("x")}}}};
    merge_equal_leaves(tree);
    EXPECT_EQ(drawn(tree, ascii_connectors), "r\n|-- 2*[a]\n|-- b\n`-- a\n    `-- x\n");
}

TEST(TreeText, DrawsEveryNodeWithoutMerging) {
    EXPECT_EQ(drawn(example(), compact_connectors),
              ".\n"
              "└─flux\n"
              "  ├─flux\n"
              "  │ ├─sleep\n"
              "  │ └─sleep\n"
              "  └─hostname\n");
}

}  // namespace
}  // namespace sluice
