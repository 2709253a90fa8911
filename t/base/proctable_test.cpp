#include "base/proctable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::ElementsAre;

TEST(Proctable, UnfoldsNumbers) {
    EXPECT_THAT(*decode_rangelist(*parse_json("[[2,1]]")), ElementsAre(2, 3));
    EXPECT_THAT(*decode_rangelist(*parse_json("[822,-1]")), ElementsAre(822, 821));
    EXPECT_THAT(*decode_rangelist(*parse_json("[[5,-2],3]")), ElementsAre(5, 5, 5, 8));
    for (const char* bad :
         {"3", "[[1]]", "[\"a\"]", "[[0,99999999999]]", "[[0,-9223372036854775808]]",
          "[9223372036854775807,1]"})
        EXPECT_FALSE(decode_rangelist(*parse_json(bad))) << bad;
}

TEST(Proctable, UnfoldsNamesWithSuffixes) {
    EXPECT_THAT(*decode_names(*parse_json(R"([["node",[[2,1]]],["x",[[-1,-1]]],"y"])")),
                ElementsAre("node2", "node3", "x", "x", "y"));
    EXPECT_FALSE(decode_names(*parse_json(R"([["node"]])")));
}

TEST(Proctable, GivesOneEntryATask) {
    const auto table = *parse_json_object(
        R"({"hosts":[["node",[[2,1]]]],"executables":[["sleep",[[-1,-1]]]],"ids":[[0,1]],
            "pids":[822,-1],"ranks":[[2,1]]})");
    EXPECT_THAT(*decode_proctable(table),
                ElementsAre(TaskProcess{"node2", 822, 0, 2, "sleep"},
                            TaskProcess{"node3", 821, 1, 3, "sleep"}));
    EXPECT_FALSE(decode_proctable(*parse_json_object(
        R"({"hosts":["a"],"executables":["x"],"ranks":[0],"pids":[1,2],"ids":[0]})")));
    EXPECT_FALSE(decode_proctable({}));
}

TEST(Proctable, FoldsNumbersAndNames) {
    EXPECT_EQ(dump_json(Json(encode_rangelist({2, 3}))), "[[2,1]]");
    EXPECT_EQ(dump_json(Json(encode_rangelist({822, 821}))), "[822,-1]");
    EXPECT_EQ(dump_json(Json(encode_rangelist({5, 5, 5, 8}))), "[[5,-2],3]");
    EXPECT_EQ(dump_json(Json(encode_names({"node2", "node3", "x", "x", "y", "a008", "a010"}))),
              R"([["node",[[2,1]]],["x",[[-1,-1]]],["y",[-1]],["a00",[8]],["a0",[10]]])");
}

TEST(Proctable, SurvivesTheWayToJsonAndBack) {
    const std::vector<TaskProcess> tasks{{"n09", 100, 0, 3, "sh"},   {"n09", 101, 1, 3, "sh"},
                                         {"n10", 7, 2, 4, "a"},      {"n10", 9, 3, 4, "a"},
                                         {"front", 5, 4, 0, "a0017"}, {"0", 6, 5, 0, ""}};
    EXPECT_EQ(*decode_proctable(encode_proctable(tasks)), tasks);
    EXPECT_TRUE(decode_proctable(encode_proctable({}))->empty());
}

}  // namespace
}  // namespace sluice
