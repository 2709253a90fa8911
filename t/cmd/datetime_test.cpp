#include "cmd/format/datetime.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace sluice {
namespace {

constexpr double now = 1578403860;  // Tuesday 2020-01-07 13:31:00 UTC
constexpr double midnight = 1578355200;
constexpr double hour = 3600, day = 86400;

double at(std::string_view text) {
    ::setenv("TZ", "UTC", 1);
    const auto time = parse_datetime(text, now);
    EXPECT_TRUE(time) << text;
    return time.value_or(0);
}

TEST(Datetime, TakesOffsetsAsDurations) {
    EXPECT_EQ(at("now"), now);
    EXPECT_EQ(at("+1h"), now + hour);
    EXPECT_EQ(at("-30m"), now - 1800);
    EXPECT_DOUBLE_EQ(at("+0.5s"), now + 0.5);
}

TEST(Datetime, KeepsTheTimeOfDayForABareDate) {
    EXPECT_EQ(at("2020-01-08"), now + day);
    EXPECT_EQ(at("1/9/2020"), now + 2 * day);
    EXPECT_EQ(at("Jan 8"), now + day);
    EXPECT_EQ(at("8 January 2020"), now + day);
    EXPECT_EQ(at("January 8th, 2020"), now + day);
}

TEST(Datetime, ReadsDatesWithTimes) {
    EXPECT_EQ(at("2020-01-08 12:00"), midnight + day + 12 * hour);
    EXPECT_EQ(at("2020-01-08T12:00:05"), midnight + day + 12 * hour + 5);
    EXPECT_EQ(at("2033-05-18T03:33:20Z"), 2e9);
    EXPECT_EQ(at("2033-05-18T05:33:20+02:00"), 2e9);
    EXPECT_EQ(at("2033-05-17T22:03:20-0530"), 2e9);
    EXPECT_EQ(at("3pm"), midnight + 15 * hour);
    EXPECT_EQ(at("3 pm"), midnight + 15 * hour);
    EXPECT_EQ(at("12am"), midnight);
    EXPECT_EQ(at("15:30"), midnight + 15.5 * hour);
    EXPECT_EQ(at("noon"), midnight + 12 * hour);
}

TEST(Datetime, ReadsPhrases) {
    EXPECT_EQ(at("in an hour"), now + hour);
    EXPECT_EQ(at("5 minutes ago"), now - 300);
    EXPECT_EQ(at("two days from now"), now + 2 * day);
    EXPECT_EQ(at("half an hour"), now + 1800);
    EXPECT_EQ(at("1 week ago"), now - 7 * day);
    EXPECT_EQ(at("tomorrow"), midnight + day);
    EXPECT_EQ(at("tomorrow at 9am"), midnight + day + 9 * hour);
    EXPECT_EQ(at("8pm tomorrow"), midnight + day + 20 * hour);
    EXPECT_EQ(at("noon tomorrow"), midnight + day + 12 * hour);
    EXPECT_EQ(at("yesterday"), midnight - day);
    EXPECT_EQ(at("last Monday"), midnight - day);
    EXPECT_EQ(at("friday"), midnight + 3 * day);
    EXPECT_EQ(at("last tuesday"), midnight - 7 * day);
    EXPECT_EQ(at("next week"), now + 7 * day);
}

TEST(Datetime, RefusesWhatIsNoTime) {
    EXPECT_FALSE(parse_datetime("2033-05-18T03:33:20+2", now));
    for (const char* text : {"", "nonsense", "+x", "-", "at", "25:00", "2020-13-01", "5", "13pm",
                             "2020-01-08Tx", "5 bananas ago"})
        EXPECT_EQ(parse_datetime(text, now).error().text(),
                  std::string("Invalid datetime: \"") + text + "\"");
}

}  // namespace
}  // namespace sluice
