#include "cmd/format/event_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace sluice {
namespace {

Event exception_event() {
    Event event{1700000000.25, "exception", {}};
    event.context["type"] = "cancel";
    event.context["severity"] = 0;
    return event;
}

TEST(EventText, ShowsTheContextAsJsonValues) {
    EventText text({});
    EXPECT_EQ(text.next(exception_event(), 0),
              "1700000000.250000 exception type=\"cancel\" severity=0");
    EventText json({.json = true});
    EXPECT_EQ(json.next(exception_event(), 0),
              R"({"timestamp":1700000000.25,"name":"exception",)"
              R"("context":{"type":"cancel","severity":0}})");
}

TEST(EventText, ShowsTimesInTheFormsAskedFor) {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const struct {
        EventTime time;
        const char *first, *second, *later;
    } table[] = {
        {EventTime::raw, "1700000000.250000 a", "1700000001.750000 a", "1700000090.250000 a"},
        {EventTime::offset, "0.000000 a", "1.500000 a", "90.000000 a"},
        {EventTime::human, "[Nov14 22:13] a", "[  +1.500000] a", "[Nov14 22:14] a"},
        {EventTime::iso, "2023-11-14T22:13:20.250000Z a", "2023-11-14T22:13:21.750000Z a",
         "2023-11-14T22:14:50.250000Z a"},
    };
    for (const auto& row : table) {
        EventText text({.time = row.time});
        EXPECT_EQ(text.next({1700000000.25, "a", {}}, 0), row.first);
        EXPECT_EQ(text.next({1700000001.75, "a", {}}, 0), row.second);
        EXPECT_EQ(text.next({1700000090.25, "a", {}}, 0), row.later);
    }
}

TEST(EventText, KnowsItsTimeFormatsByName) {
    EXPECT_EQ(*parse_event_time("human"), EventTime::human);
    const auto unknown = parse_event_time("sundial");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().text(), "invalid time-format type 'sundial'");
}

}  // namespace
}  // namespace sluice
