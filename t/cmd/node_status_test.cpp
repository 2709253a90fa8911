#include "cmd/resource/node_status.hpp"

#include <gtest/gtest.h>

#include "t/resource/builders.hpp"

namespace sluice {
namespace {

/// Four nodes: 1 drained, 2 drained and in use, 3 offline.
NodeStatus sample() {
    NodeStatus status;
    status.R = test::cluster(4, 2);
    status.online = Idset{0, 1, 2};
    status.offline = Idset{3};
    status.allocated = Idset{0, 2};
    status.drains = {{Idset{1}, 100, "bad disk"}, {Idset{2}, 200, "bad fan"}};
    return status;
}

/// "STATE NNODES NODELIST" of each line.
std::vector<std::string> shown(const std::string& format, LineOptions options) {
    const NodeStatus status = sample();
    const auto parsed = OutputFormat::parse(format, status_heading);
    EXPECT_TRUE(parsed);
    std::vector<std::string> texts;
    for (const StatusLine& line : status_lines(status, *parsed, options))
        texts.push_back(plain_text(status_field(line, "state")) + " " +
                        plain_text(status_field(line, "nnodes")) + " " + line.hosts.to_string());
    return texts;
}

using Strings = std::vector<std::string>;

TEST(NodeStatus, TellsDrainedFromDrainingAndMarksOfflineNodes) {
    EXPECT_EQ(shown("{state} {nnodes}", {.states = {"avail", "draining", "drained", "torpid"}}),
              (Strings{"avail 1 n0", "avail* 1 n3", "draining 1 n2", "drained 1 n1"}));
    EXPECT_EQ(shown("{statex}", {.states = {"avail"}}), Strings{"avail 2 n[0,3]"});
}

TEST(NodeStatus, ShowsEmptyStatesWhenAsked) {
    EXPECT_EQ(shown("{state}", {.states = {"torpid", "exclude"}, .skip_empty = false}),
              (Strings{"torpid 0 ", "exclude 0 "}));
}

TEST(NodeStatus, SplitsByReasonOnlyWhenItIsShown) {
    EXPECT_EQ(shown("{state}", {.states = {"drain"}}), Strings{"drain 2 n[1-2]"});
    EXPECT_EQ(shown("{state} {reason}", {.states = {"drain"}}),
              (Strings{"drain 1 n1", "drain 1 n2"}));
}

TEST(NodeStatus, KnowsItsStates) {
    EXPECT_TRUE(check_node_states({"all", "housekeeping"}));
    const auto unknown = check_node_states({"sleeping"});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().text(), "Invalid resource state sleeping specified");
}

TEST(ResourceSets, SubtractsForFreeAndUp) {
    ResourceSets sets{test::cluster(4, 2), test::cluster(1, 2), test::piece(1, Idset{0}), {}};
    EXPECT_EQ(sets.in_state("up")->ranks().to_string(), "1-3");
    EXPECT_EQ(sets.in_state("free")->core_count(), 5u);
    EXPECT_EQ(sets.in_state("allocated")->core_count(), 1u);
    EXPECT_FALSE(sets.in_state("nosuch"));
}

TEST(RankFilter, SelectsByQueueAndHost) {
    ResourceSet all = test::cluster(4, 1);
    all.properties["fast"] = Idset{3};
    const JsonObject config = *parse_json_object(R"({"queues":{"debug":{"requires":["fast"]}}})");
    RankFilter filter;
    filter.include = "n[0-2]";
    EXPECT_EQ(filter.ranks(all, config)->to_string(), "0-2");
    filter.include = "1,3,9";
    EXPECT_EQ(filter.ranks(all, config)->to_string(), "1,3");
    filter.queues = {"debug"};
    EXPECT_EQ(filter.ranks(all, config)->to_string(), "3");
    filter.queues = {"nosuch"};
    EXPECT_EQ(filter.ranks(all, config).error().text(), "--queue: nosuch: no such queue");
    EXPECT_EQ(queues_of({"fast", "red"}, config), "debug");
}

}  // namespace
}  // namespace sluice
