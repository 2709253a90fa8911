#include "pmi/clique.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::pmi {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(PmiClique, ReadsBothMappings) {
    EXPECT_THAT(nodes_of_tasks(R"({"version":1,"map":[[0,2,1,2],[1,1,1,1]]})", 5),
                Optional(ElementsAre(0, 1, 0, 1, 1)));
    EXPECT_THAT(nodes_of_tasks("(vector,(0,2,2),(5,1,1))", 5),
                Optional(ElementsAre(0, 0, 1, 1, 5)));
}

TEST(PmiClique, RefusesWhatDoesNotCoverTheTasks) {
    EXPECT_FALSE(nodes_of_tasks("(vector,(0,2,2))", 5));
    EXPECT_FALSE(nodes_of_tasks("(vector,(0,2))", 2));
    EXPECT_FALSE(nodes_of_tasks(R"({"version":1,"map":[]})", 1));
    EXPECT_FALSE(nodes_of_tasks("", 1));
    // At once, however much nothing is repeated; found by fuzzing.
    EXPECT_FALSE(nodes_of_tasks("(vector,(0,4000000000,0))", 1));
    EXPECT_FALSE(nodes_of_tasks(R"({"map":[[0,0,1,4000000000],[0,4000000000,0,4000000000]]})", 1));
    EXPECT_THAT(nodes_of_tasks(R"({"map":[[0,1,1,4000000000]]})", 2), Optional(ElementsAre(0, 0)));
}

TEST(PmiClique, FindsTheTasksOfANode) {
    EXPECT_THAT(clique_of({0, 1, 0, 1, 1}, 3), ElementsAre(1, 3, 4));
}

}  // namespace
}  // namespace sluice::pmi
