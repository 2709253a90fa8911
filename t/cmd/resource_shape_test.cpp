#include "cmd/options/resource_shape.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string shape(std::string_view text) {
    const auto resources = parse_shape(text);
    return resources ? dump_json(Json(*resources)) : resources.error().text();
}

TEST(ResourceShape, IsTheResourcesOfAJobspecInShort) {  // the table of RFC 46's own tests
    EXPECT_EQ(shape("slot=4/node"),
              R"([{"type":"slot","count":4,"label":"task","with":[{"type":"node","count":1}]}])");
    EXPECT_EQ(shape("slot=4/node=[2]"),
              R"([{"type":"slot","count":4,"label":"task","with":[{"type":"node","count":2}]}])");
    EXPECT_EQ(shape("slot=3-30/node"),
              R"([{"type":"slot","count":"3-30","label":"task",)"
              R"("with":[{"type":"node","count":1}]}])");
    EXPECT_EQ(shape("slot=4{nodelevel}/node{-x}/socket=2+/core=4+"),
              R"([{"type":"slot","count":4,"label":"nodelevel","with":[{"type":"node","count":1,)"
              R"("exclusive":false,"with":[{"type":"socket","count":"2+",)"
              R"("with":[{"type":"core","count":"4+"}]}]}]}])");
    EXPECT_EQ(shape("slot=4,9,16,25/[memory=2+{unit:GB};core]"),
              R"([{"type":"slot","count":"4,9,16,25","label":"task","with":[)"
              R"({"type":"memory","count":"2+","unit":"GB"},{"type":"core","count":1}]}])");
    EXPECT_EQ(shape("[cluster/slot{ib}/ib10g;switch{x}]"),
              R"([{"type":"cluster","count":1,"with":[{"type":"slot","count":1,"label":"ib",)"
              R"("with":[{"type":"ib10g","count":1}]}]},)"
              R"({"type":"switch","count":1,"exclusive":true}])");
    EXPECT_EQ(shape("slot{task,foo:bar}/node{}"),
              R"([{"type":"slot","count":1,"label":"task","foo":"bar",)"
              R"("with":[{"type":"node","count":1}]}])");
}

TEST(ResourceShape, NamesThePositionOfTheFault) {
    EXPECT_EQ(shape("slot/"), "shape 'slot/': expected a type of resource at position 6");
    EXPECT_EQ(shape("slot/node=a"),
              "shape 'slot/node=a': expected a count such as 4, 2+, 1-8 or 2,4 at position 11");
    for (const char* bad : {"", "slot=2{blah", "node/[slot=10{a}/[core;memory];slot{db}/[blah",
                            "slot=2{bla}}", "node/[slot/core]]", "slot/\"blah", "slot/node=;"})
        EXPECT_FALSE(parse_shape(bad)) << bad;
    EXPECT_FALSE(parse_shape(std::string(1000, '[')));
}

TEST(ResourceShape, KnowsTheLabelOfItsSlot) {
    EXPECT_EQ(slot_label(*parse_shape("node/slot{db}/core")), "db");
    EXPECT_EQ(slot_label(*parse_shape("node/core")), "task");
}

}  // namespace
}  // namespace sluice
