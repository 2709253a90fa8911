// [[resource.topology]], and placing jobs by it.
#include "resource/match/node_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc/jobspec.hpp"
#include "resource/match/matcher.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using testing::HasSubstr;

/// 12 nodes: switches of 2, 4 and 6, racks of 6 and 6.
SiteTopology two_views() {
    const auto entries = parse_json(R"([
        {"type": "switch", "name": "s0", "hosts": "n[0-1]"},
        {"type": "switch", "name": "s1", "hosts": "n[2-5]"},
        {"type": "switch", "name": "s2", "hosts": "n[6-11]"},
        {"type": "rack", "name": "r0", "hosts": "n[0,2,4,6,8,10]"},
        {"type": "rack", "name": "r1", "hosts": "n[1,3,5,7,9,11]"}])");
    return *read_topology(entries->get_array());
}

class NodeGroupsTest : public testing::Test {
  protected:
    NodeGroupsTest() : inventory(test::cluster(12, 4)), groups(two_views(), inventory) {
        inventory.set_up(inventory.all().ranks(), true);
    }
    std::string place(ResourceRequest request, GroupRequest asked = {}, MatchOptions options = {}) {
        const MatchShape shape(inventory, request, {}, options, {&groups, std::move(asked)});
        auto found = shape.match(inventory);
        if (const auto* missing = std::get_if<std::string>(&found)) return *missing;
        const auto& R = std::get<ResourceSet>(found);
        (void)inventory.allocate(R);
        return R.ranks().to_string();
    }
    std::string refused(ResourceRequest request, GroupRequest asked) {
        const MatchShape shape(inventory, request, {}, {}, {&groups, std::move(asked)});
        const auto feasible = shape.feasible(inventory);
        return feasible ? "" : feasible.error().text();
    }
    Inventory inventory;
    NodeGroups groups;
};

TEST_F(NodeGroupsTest, AJobStaysOnTheSwitchThatFitsMostTightly) {
    EXPECT_EQ(place(test::whole_nodes(3)), "2-4");
    EXPECT_EQ(place(test::whole_nodes(2)), "0-1");
    EXPECT_EQ(place(test::whole_nodes(7)), "5-11");
}

TEST_F(NodeGroupsTest, AJobThatFitsNoSwitchTakesAsFewAsCanBe) {
    EXPECT_EQ(place(test::whole_nodes(8)), "0-1,6-11");
    EXPECT_EQ(place(test::slots(16)), "2-5");
}

TEST_F(NodeGroupsTest, OtherPoliciesGoByOrderAlone) {
    EXPECT_EQ(place(test::whole_nodes(3), {}, {NodeOrder::lowest_first, false, false}), "0-2");
}

TEST_F(NodeGroupsTest, RacksAndSwitchesAreAskedForByName) {
    EXPECT_EQ(place(test::whole_nodes(4), {"rack", 2}), "0-3");
    EXPECT_EQ(place(test::whole_nodes(4), {"switch", 2}), "4-7");
    EXPECT_EQ(place(test::whole_nodes(3), {"rack", 1}),
              "1 rack with 3 nodes each wanted, fewer are free now");
}

TEST_F(NodeGroupsTest, WhatCanNeverBeIsRefusedWithTheReason) {
    EXPECT_EQ(refused(test::whole_nodes(6), {"rack", 1}), "");
    EXPECT_EQ(refused(test::whole_nodes(8), {"rack", 1}),
              "unsatisfiable request: 1 rack with 8 nodes each wanted, there are not so many");
    EXPECT_THAT(refused(test::whole_nodes(4), {"pod", 2}), HasSubstr("no pod is defined here"));
}

std::string topology_error(std::string_view json) {
    const auto topology = read_topology(parse_json(json)->get_array());
    return topology ? "" : topology.error().text();
}

TEST(Topology, SaysWhatIsWrong) {
    EXPECT_THAT(topology_error(R"([{"type": "node", "name": "a", "hosts": "n1"}])"),
                HasSubstr("resource.topology[0]: type: found 'node'; use one of switch, rack"));
    EXPECT_THAT(topology_error(R"([{"type": "rack", "name": "a", "hosts": "n["}])"),
                HasSubstr("'n[' is no hostlist"));
    EXPECT_THAT(topology_error(R"([{"type": "rack", "name": "a", "hosts": "n1", "x": 1}])"),
                HasSubstr("x: unknown key"));
    EXPECT_THAT(topology_error(R"([{"type": "rack", "name": "a", "hosts": "n[1-2]"},
                                   {"type": "rack", "name": "b", "hosts": "n[2-3]"}])"),
                HasSubstr("resource.topology[1]: host n2 is in rack 'a' already"));
}

TEST(Topology, AJobspecMayNameARackAboveItsNodes) {
    const auto jobspec = [](std::string_view top) {
        return Jobspec::parse(fmt::format(
            R"({{"version":1,"resources":[{}],"tasks":[{{"command":["true"],"slot":"task",
                "count":{{"per_slot":1}}}}],"attributes":{{"system":{{"duration":0}}}}}})", top));
    };
    const auto good = jobspec(R"({"type":"rack","count":2,"with":[{"type":"node","count":3,"with":[
        {"type":"slot","count":2,"label":"task","with":[{"type":"core","count":1}]}]}]})");
    ASSERT_TRUE(good) << good.error().text();
    EXPECT_EQ(good->request, (ResourceRequest{6, 12, 1, 0, false}));
    EXPECT_EQ(group_request_of(good->json), (GroupRequest{"rack", 2}));
    EXPECT_FALSE(jobspec(R"({"type":"rack","count":2})"));
    EXPECT_FALSE(jobspec(R"({"type":"shelf","count":2,"with":[{"type":"slot","count":2,
        "label":"task","with":[{"type":"core","count":1}]}]})"));
}

}  // namespace
}  // namespace sluice
