#include "base/rfc/eventlog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

TEST(EventLine, IsCompactAndLeavesOutAnEmptyContext) {
    EXPECT_EQ(encode_event({1, "depend", {}}), "{\"timestamp\":1.0,\"name\":\"depend\"}\n");
    EXPECT_EQ(encode_event({1552593348.073045, "finish", {{"status", 0}}}),
              "{\"timestamp\":1552593348.073045,\"name\":\"finish\",\"context\":{\"status\":0}}\n");
}

TEST(EventLine, RoundTrips) {
    const Event event{1552593348.073045, "memo", {{"a", 1.5}, {"b", "x\n\"y\""}}};
    const auto decoded = decode_event(encode_event(event));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, event);
    const auto from_json = event_from_json(event_to_json(event));
    ASSERT_TRUE(from_json);
    EXPECT_EQ(*from_json, event);
}

TEST(EventLine, RefusesAndNamesTheFault) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", "JSON"},
        {"[]", "object"},
        {R"({"name":"x"})", "timestamp"},
        {R"({"timestamp":1})", "name"},
        {R"({"timestamp":"1","name":"x"})", "timestamp"},
        {R"({"timestamp":0,"name":"x"})", "above 0"},
        {R"({"timestamp":-1.5,"name":"x"})", "above 0"},
        {R"({"timestamp":1,"name":""})", "empty"},
        {R"({"timestamp":1,"name":"x","context":[]})", "context"},
        {R"({"timestamp":1,"name":"x"}{})", "JSON"},
    };
    for (const auto& [line, text] : rows) {
        const auto event = decode_event(line);
        ASSERT_FALSE(event) << line;
        EXPECT_EQ(event.error().errnum(), EPROTO);
        EXPECT_THAT(event.error().text(), HasSubstr(text));
    }
}

TEST(Eventlog, ReadsAllLinesAndNamesTheBadOne) {
    const std::string good = encode_event({1, "a", {}}) + encode_event({2, "b", {}});
    const auto events = decode_eventlog(good);
    ASSERT_TRUE(events);
    ASSERT_EQ(events->size(), 2u);
    EXPECT_EQ((*events)[1].name, "b");
    EXPECT_TRUE(decode_eventlog("")->empty());
    EXPECT_THAT(decode_eventlog(good + "x\n").error().text(), HasSubstr("line 3"));
    EXPECT_THAT(decode_eventlog(good.substr(0, good.size() - 1)).error().text(),
                HasSubstr("line 2"));
}

}  // namespace
}  // namespace sluice
