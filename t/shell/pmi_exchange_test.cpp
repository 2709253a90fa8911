#include "shell/pmi_exchange.hpp"

#include <gtest/gtest.h>

namespace sluice::shell {
namespace {

TEST(PmiExchange, IsATreeOfShells) {
    struct Row {
        std::uint32_t rank, nnodes, fanout, children;
        std::optional<std::uint32_t> parent;
    };
    const Row rows[] = {{0, 1, 2, 0, {}}, {0, 4, 2, 2, {}}, {1, 4, 2, 1, 0},
                        {2, 4, 2, 0, 0},  {3, 4, 2, 0, 1},  {3, 4, 3, 0, 0}};
    for (const Row& row : rows) {
        PmiExchange exchange{{row.rank, row.nnodes, row.fanout, true}};
        EXPECT_EQ(exchange.children(), row.children) << row.rank;
        EXPECT_EQ(exchange.parent(), row.parent) << row.rank;
    }
}

TEST(PmiExchange, GathersUpAndSpreadsDown) {
    PmiExchange root{{0, 2, 2, true}}, leaf{{1, 2, 2, true}};
    EXPECT_EQ(root.on_local({{"a", "0"}}), PmiExchange::Step{});
    const auto up = leaf.on_local({{"b", "1"}});
    ASSERT_TRUE(up.to_parent);
    EXPECT_FALSE(up.to_children);
    const auto all = root.on_child(*up.to_parent);
    ASSERT_TRUE(all.to_children);
    EXPECT_EQ(*all.to_children, (pmi::KeyValues{{"a", "0"}, {"b", "1"}}));
    EXPECT_EQ(leaf.on_parent(*all.to_children).to_children, all.to_children);
    // the next round starts empty
    EXPECT_EQ(root.on_child({}), PmiExchange::Step{});
    EXPECT_EQ(root.on_local({}).to_children, pmi::KeyValues{});
}

TEST(PmiExchange, PassesKeysOnWhereNoTaskRuns) {
    PmiExchange middle{{1, 4, 2, false}};
    EXPECT_EQ(middle.on_child({{"c", "3"}}).to_parent, (pmi::KeyValues{{"c", "3"}}));
}

}  // namespace
}  // namespace sluice::shell
