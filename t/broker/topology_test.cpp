#include "broker/overlay/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::uint32_t> parents(const char* kind, std::uint32_t size) {
    const Topology tree(*TopologyKind::parse(kind), size);
    std::vector<std::uint32_t> found;
    for (std::uint32_t rank = 1; rank < size; ++rank)
        found.push_back(tree.parent(Rank{rank})->value);
    return found;
}

// The trees that the reference shows for `flux overlay status`.
TEST(Topology, HasTheShapeOfItsKind) {
    EXPECT_THAT(parents("kary:2", 6), ElementsAre(0, 0, 1, 1, 2));
    EXPECT_THAT(parents("binomial", 6), ElementsAre(0, 0, 2, 0, 4));
    EXPECT_THAT(parents("mincrit:2", 6), ElementsAre(0, 0, 1, 2, 1));
    EXPECT_THAT(parents("kary:0", 4), ElementsAre(0, 0, 0));
    EXPECT_THAT(parents("kary:1", 4), ElementsAre(0, 1, 2));
    EXPECT_THAT(parents("custom", 3), ElementsAre(0, 0));
}

TEST(Topology, KnowsTheWayDown) {
    const Topology tree(*TopologyKind::parse("kary:2"), 7);
    EXPECT_EQ(tree.child_toward(Rank{0}, Rank{3}), Rank{1});
    EXPECT_EQ(tree.child_toward(Rank{1}, Rank{3}), Rank{3});
    EXPECT_EQ(tree.child_toward(Rank{2}, Rank{3}), std::nullopt);
    EXPECT_EQ(tree.child_toward(Rank{0}, Rank{0}), std::nullopt);
    EXPECT_EQ(tree.child_toward(Rank{0}, Rank{7}), std::nullopt);
    EXPECT_EQ(tree.subtree(Rank{1}).to_string(), "1,3-4");
    EXPECT_EQ(tree.descendants(Rank{0}), 6u);
    EXPECT_EQ(tree.level(Rank{6}), 2u);
    EXPECT_EQ(tree.maxlevel(), 2u);
    EXPECT_EQ(tree.routers().to_string(), "0-2");
}

TEST(Topology, RefusesParentsThatDoNotLeadToRankZero) {
    EXPECT_TRUE(Topology::from_parents({0, 0, 1}));
    EXPECT_THAT(Topology::from_parents({0, 2, 1}).error().text(), HasSubstr("loop"));
    EXPECT_THAT(Topology::from_parents({0, 9}).error().text(), HasSubstr("does not exist"));
}

TEST(TopologyKind, RefusesWhatItDoesNotKnow) {
    for (const char* text : {"", "nosuch", "kary", "kary:", "kary:x", "binomial:2", "custom:1"})
        EXPECT_FALSE(TopologyKind::parse(text)) << text;
    EXPECT_EQ(TopologyKind::parse("mincrit:3")->to_string(), "mincrit:3");
    EXPECT_EQ(TopologyKind::parse("mincrit")->to_string(), "mincrit");
    EXPECT_EQ(TopologyKind{}.to_string(), "kary:32");
}

}  // namespace
}  // namespace sluice
