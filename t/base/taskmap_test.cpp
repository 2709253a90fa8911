#include "base/rfc/taskmap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

/// RFC 34's raw form: the task ids of each node, split by semicolons.
std::vector<Idset> from_raw(std::string_view raw) {
    std::vector<Idset> nodes;
    for (;;) {
        const std::size_t end = raw.find(';');
        nodes.push_back(*Idset::parse(raw.substr(0, end)));
        if (end == std::string_view::npos) return nodes;
        raw.remove_prefix(end + 1);
    }
}

constexpr std::pair<std::string_view, std::string_view> vectors[] = {
    {"0", "[[0,1,1,1]]"},
    {"0;1", "[[0,2,1,1]]"},
    {"0-1", "[[0,1,2,1]]"},
    {"0-1;2-3", "[[0,2,2,1]]"},
    {"0,2;1,3", "[[0,2,1,2]]"},
    {"1;0", "[[1,1,1,1],[0,1,1,1]]"},
    {"0-3;4-7;8-11;12-15", "[[0,4,4,1]]"},
    {"0,4,8,12;1,5,9,13;2,6,10,14;3,7,11,15", "[[0,4,1,4]]"},
    {"0-1,8-9;2-3,10-11;4-5,12-13;6-7,14-15", "[[0,4,2,2]]"},
    {"0-1;2-3;4-5;6-7;8-11;12-15", "[[0,4,2,1],[4,2,4,1]]"},
    {"0,6;1,7;2,8;3,9;4,10,12,14;5,11,13,15", "[[0,6,1,2],[4,2,1,2]]"},
    {"14-15;12-13;10-11;8-9;4-7;0-3",
     "[[5,1,4,1],[4,1,4,1],[3,1,2,1],[2,1,2,1],[1,1,2,1],[0,1,2,1]]"},
    {"0-1;2-3;4-5;6-7;8-9;12-13;10-11;14-15", "[[0,5,2,1],[6,1,2,1],[5,1,2,1],[7,1,2,1]]"},
};

TEST(TaskmapVectors, EncodeAndDecodeAsRfc34) {
    for (const auto& [raw, text] : vectors) {
        const std::vector<Idset> ids = from_raw(raw);
        const auto map = Taskmap::from_ids(ids);
        ASSERT_TRUE(map) << raw;
        EXPECT_EQ(map->to_string(), text);
        const auto parsed = Taskmap::parse(text);
        ASSERT_TRUE(parsed);
        ASSERT_EQ(parsed->node_count(), ids.size());
        for (std::uint32_t nodeid = 0; nodeid < ids.size(); ++nodeid) {
            EXPECT_EQ(parsed->task_ids(nodeid), ids[nodeid]) << raw;
            for (const std::uint32_t task : ids[nodeid])
                EXPECT_EQ(parsed->nodeid(task).value_or(99), nodeid);
        }
    }
}

TEST(TaskmapMake, BlockAndCyclicGiveRfc34sMaps) {
    EXPECT_EQ(Taskmap::block({4, 4, 4, 4}).to_string(), "[[0,4,4,1]]");
    EXPECT_EQ(Taskmap::block({2, 2, 2, 2, 4, 4}).to_string(), "[[0,4,2,1],[4,2,4,1]]");
    EXPECT_EQ(Taskmap::block({1, 0, 1}).to_string(), "[[0,1,1,1],[2,1,1,1]]");
    EXPECT_EQ(Taskmap::cyclic({4, 4, 4, 4}).to_string(), "[[0,4,1,4]]");
    EXPECT_EQ(Taskmap::cyclic({4, 4, 4, 4}, 2).to_string(), "[[0,4,2,2]]");
    EXPECT_EQ(Taskmap::cyclic({2, 2, 2, 2, 4, 4}).to_string(), "[[0,6,1,2],[4,2,1,2]]");
    EXPECT_EQ(Taskmap::cyclic({2, 2, 2, 2, 4, 4}, 2).to_string(), "[[0,6,2,1],[4,2,2,1]]");
    EXPECT_EQ(Taskmap::cyclic({3, 1}, 2).task_count(), 4u);
}

TEST(TaskmapPmi, WritesAndReadsProcessMappings) {
    EXPECT_EQ(Taskmap::parse("[[0,4,4,1]]")->to_pmi(), "(vector,(0,4,4))");
    EXPECT_EQ(Taskmap::parse("[[0,4,2,2]]")->to_pmi(), "(vector,(0,4,2),(0,4,2))");
    EXPECT_EQ(Taskmap::parse("(vector,(0,4,2),(0,4,2))")->to_string(), "[[0,4,2,2]]");
    EXPECT_EQ(Taskmap::parse("(vector, (0, 4, 4))")->to_string(), "[[0,4,4,1]]");
    EXPECT_EQ(Taskmap{}.to_pmi(), "");
}

TEST(TaskmapParse, UnwrapsTheObjectAndKnowsTheUnknownMap) {
    const auto map = Taskmap::parse(R"({"version":1,"map":[[0,2,1,1]]})");
    ASSERT_TRUE(map);
    EXPECT_EQ(dump_json(map->to_wrapped_json()), R"({"version":1,"map":[[0,2,1,1]]})");
    EXPECT_TRUE(Taskmap::parse("[]")->unknown());
    EXPECT_EQ(Taskmap{}.to_string(), "[]");
    EXPECT_EQ(map->nodeid(2).error().errnum(), ENOENT);
}

TEST(TaskmapParse, Refuses) {
    for (const std::string_view text :
         {"", "x", "1", "[1]", "[[0,1,1]]", "[[0,1,1,1,1]]", "[[0,1,1,0]]", "[[0,0,1,1]]",
          "[[0,1,0,1]]", "[[-1,1,1,1]]", "[[0,1,1,1.5]]", "[[0,16777216,16777216,1]]",
          "[[0,16777216,1,1],[0,1,1,1]]", "[[0,4096,4096,4096]]", R"({"version":2,"map":[]})",
          R"({"map":[]})", R"({"version":1})", "(vector", "(vector,)", "(vector,(0,1))",
          "(vector,(0,1,1)", "(vector,(0,1,1))x", "(vector,(a,1,1))", "(block,(0,1,1))"}) {
        EXPECT_FALSE(Taskmap::parse(text)) << text;
    }
}

TEST(TaskmapMake, RefusesIdsThatAreNotOneToOne) {
    EXPECT_THAT(Taskmap::from_ids(from_raw("0;2")).error().text(), HasSubstr("task 1 is missing"));
    EXPECT_THAT(Taskmap::from_ids(from_raw("0-1;1")).error().text(), HasSubstr("on two nodes"));
}

}  // namespace
}  // namespace sluice
