#include "cmd/format/overlay_tree.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

/// Four brokers of which rank 1 is lost and rank 3 below it cannot be asked.
OverlayNode lost_subtree() {
    OverlayNode root{.rank = 0, .status = "degraded", .seconds = 90};
    OverlayNode lost{.rank = 1, .status = "lost", .seconds = 3, .error = "lost connection"};
    lost.children.push_back({.rank = 3, .status = "lost", .ghost = true});
    root.children = {lost, {.rank = 2, .status = "full", .seconds = 90}};
    return root;
}

const Hostlist hosts{{"n0", "n1", "n2", "n3"}};

TEST(OverlayTree, DrawsTheRecordedLines) {
    EXPECT_EQ(overlay_tree(lost_subtree(), hosts, {}),
              "0 n0: degraded\n"
              "├─ 1 n1: lost lost connection\n"
              "│  └─ 3 n3: lost\n"
              "└─ 2 n2: full\n");
}

TEST(OverlayTree, LeavesOutFullBrokersAndGhosts) {
    EXPECT_EQ(overlay_tree(lost_subtree(), hosts, {.down = true, .ghosts = false}),
              "0 n0: degraded\n"
              "└─ 1 n1: lost lost connection\n");
}

TEST(OverlayTree, MarksTargetsAndTheirAncestors) {
    EXPECT_EQ(overlay_tree(lost_subtree(), hosts, {.highlight = Idset{3}}),
              "<<0 n0>>: degraded\n"
              "├─ <<1 n1>>: lost lost connection\n"
              "│  └─ <<3 n3>>: lost\n"
              "└─ 2 n2: full\n");
}

TEST(OverlayTree, ShowsTimesWhenVerboseAndNoShapeWithoutPretty) {
    OverlayNode root{.rank = 0, .status = "full", .seconds = 90, .rpc_seconds = 0.001234};
    root.children.push_back({.rank = 9, .status = "offline", .seconds = 5});
    EXPECT_EQ(overlay_tree(root, hosts, {.verbose = 2, .pretty = false}),
              "0 n0: full for 1.5m (1.234 ms)\n"
              "9 rank9: offline for 5.000s\n");
}

TEST(OverlayTree, ShowsNothingOfAFullTreeWhenAskedForWhatIsDown) {
    EXPECT_EQ(overlay_tree({.rank = 0, .status = "full"}, hosts, {.down = true}), "");
}

TEST(OverlayTree, ColorsStates) {
    OverlayNode root{.rank = 0, .status = "offline"};
    EXPECT_EQ(overlay_tree(root, hosts, {.color = true, .highlight = Idset{0}}),
              "\x1b[01;34m0 n0\x1b[0m: \x1b[01;33moffline\x1b[0m\n");
}

TEST(OverlayErrors, GroupsHostsByMessage) {
    OverlayNode root = lost_subtree();
    root.children[1].error = "lost connection";
    EXPECT_EQ(overlay_errors(root, hosts), "n[1-2]: lost connection\n");
    EXPECT_EQ(overlay_errors({.rank = 0, .status = "full"}, hosts), "");
}

}  // namespace
}  // namespace sluice
