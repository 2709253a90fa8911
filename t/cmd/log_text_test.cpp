#include "cmd/format/log_text.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace sluice {
namespace {

std::string line_at(const char* time) {
    return std::string{"<48>1 2026-11-30T"} + time + "Z 2 broker 7 - - text";
}

TEST(LogText, ShowsTheFullTimeStamp) {
    LogText text{{}};
    EXPECT_EQ(text.next(line_at("11:50:45.000000")),
              "2026-11-30T11:50:45.000000Z broker.info[2]: text");
    EXPECT_EQ(text.next("free text"), "free text");
}

TEST(LogText, ShowsTheTimeOfTheZoneWithItsOffset) {
    ::setenv("TZ", "America/Los_Angeles", 1);
    ::tzset();
    EXPECT_EQ(LogText{{}}.next(line_at("11:50:45.000000")),
              "2026-11-30T03:50:45.000000-08:00 broker.info[2]: text");
    ::setenv("TZ", "UTC", 1);
    ::tzset();
}

TEST(LogText, HumanShowsTheMinuteAndThenOffsetsWithinIt) {
    ::setenv("TZ", "UTC", 1);
    LogText text{{.human = true}};
    EXPECT_EQ(text.next(line_at("11:50:45.000000")), "[Nov30 11:50] broker.info[2]: text");
    EXPECT_EQ(text.next(line_at("11:50:46.500000")), "[  +1.500000] broker.info[2]: text");
    EXPECT_EQ(text.next(line_at("11:50:48.500000")), "[  +3.500000] broker.info[2]: text");
    EXPECT_EQ(text.next(line_at("11:52:00.000000")), "[Nov30 11:52] broker.info[2]: text");
}

TEST(LogText, DeltaCountsFromTheLineBefore) {
    ::setenv("TZ", "UTC", 1);
    LogText text{{.human = true, .delta = true}};
    text.next(line_at("11:50:45.000000"));
    text.next(line_at("11:50:46.500000"));
    EXPECT_EQ(text.next(line_at("11:50:48.500000")), "[  +2.000000] broker.info[2]: text");
}

}  // namespace
}  // namespace sluice
