#include "base/rfc/fsd.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

TEST(FsdParse, ReadsNumbersUnitsAndInfinity) {
    const std::pair<std::string_view, double> rows[] = {
        {"0", 0},     {"30", 30},    {"1.5m", 90},    {"2h", 7200}, {"1d", 86400},
        {"250ms", 0.25}, {".5s", 0.5}, {"1e3", 1000}, {"5s", 5},
    };
    for (const auto& [text, seconds] : rows) {
        const auto parsed = fsd_parse(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_DOUBLE_EQ(*parsed, seconds) << text;
    }
    for (const std::string_view text : {"inf", "INF", "infinity", "INFINITY"})
        EXPECT_TRUE(std::isinf(fsd_parse(text).value_or(0))) << text;
}

TEST(FsdParse, RefusesTheRest) {
    for (const std::string_view text :
         {"", "x", "-1", "-0", "nan", "1w", "1 m", "1mm", "m", "Inf", "-inf", "1s2", "1e999"}) {
        const auto parsed = fsd_parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().text(), "invalid Flux standard duration");
    }
}

TEST(FsdFormat, ChoosesTheUnit) {
    const std::pair<double, std::string_view> rows[] = {
        {0, "0s"},          {0.0005, "0s"},   {0.041, "0.041s"},  {9.5, "9.500s"},
        {10, "10s"},        {59.25, "59.25s"}, {60, "1m"},        {91.08, "1.518m"},
        {3600, "1h"},       {9000, "2.5h"},   {86400, "1d"},      {181440, "2.1d"},
        {INFINITY, "inf"},
    };
    for (const auto& [seconds, text] : rows) EXPECT_EQ(fsd_format(seconds), text);
    EXPECT_EQ(fsd_format(91.08, 2), "1.5m");
    EXPECT_EQ(fsd_format(4.1234, 2), "4.1s");
}

}  // namespace
}  // namespace sluice
