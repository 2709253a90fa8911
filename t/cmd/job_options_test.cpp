#include <gtest/gtest.h>

#include "base/json.hpp"
#include "cmd/job/event_options.hpp"
#include "cmd/job/signal_name.hpp"

namespace sluice {
namespace {

TEST(SignalName, TakesNamesAndNumbers) {
    EXPECT_EQ(*parse_signal("SIGTERM"), 15);
    EXPECT_EQ(*parse_signal("kill"), 9);
    EXPECT_EQ(*parse_signal("10"), 10);
    EXPECT_EQ(*parse_signal("99"), 99);
    for (const char* bad : {"", "SIGNOSUCH", "1x"})
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
