#include "base/log_line.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr std::string_view recorded = "<40>1 2026-11-30T11:50:45.835115Z 0 logger 641 - - a remark";

TEST(LogLine, ReadsAndWritesTheRecordedForm) {
    const auto line = parse_log_line(recorded);
    ASSERT_TRUE(line) << line.error().text();
    EXPECT_EQ(line->level, LogLevel::notice);
    EXPECT_EQ(line->timestamp, "2026-11-30T11:50:45.835115Z");
    EXPECT_EQ(line->rank, 0u);
    EXPECT_EQ(line->appname, "logger");
    EXPECT_EQ(line->procid, "641");
    EXPECT_EQ(line->text, "a remark");
    EXPECT_EQ(format_log_line(*line), recorded);
    EXPECT_EQ(show_log_line(*line), "logger.notice[0]: a remark");
}

TEST(LogLine, KeepsBlanksInTheTextAndDropsFinalNewlines) {
    const LogLine line{.level = LogLevel::debug, .timestamp = "t", .rank = 7, .text = "a  b \n\n"};
    EXPECT_EQ(format_log_line(line), "<56>1 t 7 - - - - a  b ");
    EXPECT_EQ(parse_log_line(format_log_line(line))->text, "a  b ");
}

TEST(LogLine, RefusesOtherText) {
    for (const char* text : {"", "hello", "<40>", "<x>1 t 0 a p - - m", "<40>2 t 0 a p - - m",
                             "<64>1 t 0 a p - - m", "<40>1 t host a p - - m", "<40>1 t 0 a p",
                             "<-8>1 t 0 a p - - m"})
        EXPECT_EQ(parse_log_line(text).error().errnum(), EPROTO) << text;
}

TEST(LogLevel, HasNamesAndDigits) {
    EXPECT_EQ(*parse_log_level("warning"), LogLevel::warning);
    EXPECT_EQ(*parse_log_level("3"), LogLevel::err);
    EXPECT_EQ(parse_log_level("8").error().errnum(), EINVAL);
    EXPECT_EQ(parse_log_level("nosuch").error().errnum(), EINVAL);
}

TEST(LogTimestamp, RoundTripsToTheMicrosecond) {
    EXPECT_EQ(log_timestamp(0.25), "1970-01-01T00:00:00.250000Z");
    EXPECT_DOUBLE_EQ(*parse_log_timestamp("1970-01-02T00:00:01.500000Z"), 86401.5);
    EXPECT_EQ(parse_log_timestamp("yesterday").error().errnum(), EINVAL);
}

}  // namespace
}  // namespace sluice
