#include "cmd/format/proctable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/job/event_options.hpp"
#include "cmd/job/signal_name.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

TEST(Proctable, UnfoldsNumbers) {
    EXPECT_THAT(*decode_rangelist(*parse_json("[[2,1]]")), ElementsAre(2, 3));
    EXPECT_THAT(*decode_rangelist(*parse_json("[822,-1]")), ElementsAre(822, 821));
    EXPECT_THAT(*decode_rangelist(*parse_json("[[5,-2],3]")), ElementsAre(5, 5, 5, 8));
    for (const char* bad : {"3", "[[1]]", "[\"a\"]", "[[0,99999999999]]"})
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
                ElementsAre(TaskProcess{"node2", 822, 0}, TaskProcess{"node3", 821, 1}));
    EXPECT_FALSE(decode_proctable(*parse_json_object(R"({"hosts":["a"],"pids":[1,2],"ids":[0]})")));
    EXPECT_FALSE(decode_proctable({}));
}

TEST(SignalName, TakesNamesAndNumbers) {
    EXPECT_EQ(*parse_signal("SIGTERM"), 15);
    EXPECT_EQ(*parse_signal("kill"), 9);
    EXPECT_EQ(*parse_signal("10"), 10);
    for (const char* bad : {"", "0", "99", "SIGNOSUCH", "1x"})
        EXPECT_EQ(parse_signal(bad).error().text(), std::string("Invalid signal ") + bad);
}

TEST(EventOptions, MatchContextAsJsonOrText) {
    const JsonObject context = *parse_json_object(R"({"status":768,"note":"last","o":{"a":1}})");
    EXPECT_TRUE(context_matches(context, "status", "768"));
    EXPECT_TRUE(context_matches(context, "note", "last"));
    EXPECT_TRUE(context_matches(context, "note", "\"last\""));
    EXPECT_TRUE(context_matches(context, "o", "{\"a\":1}"));
    EXPECT_FALSE(context_matches(context, "status", "1"));
    EXPECT_FALSE(context_matches(context, "nosuch", "1"));
    EXPECT_EQ(eventlog_path("exec"), "guest.exec.eventlog");
    EXPECT_EQ(eventlog_path("guest.x"), "guest.x");
}

}  // namespace
}  // namespace sluice
