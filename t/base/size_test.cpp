#include "base/size.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(ParseSize, KnowsUnits) {
    EXPECT_EQ(*parse_size("10M"), 10u << 20);
    EXPECT_EQ(*parse_size("1.5k"), 1536u);
    EXPECT_EQ(*parse_size("300"), 300u);
    EXPECT_EQ(*parse_size("0"), 0u);
    for (const char* bad : {"", "5X", "-1", "M", "1MM", "nan", "inf", "1e30", "9999999999T"})
        EXPECT_FALSE(parse_size(bad)) << bad;
    EXPECT_EQ(parse_size("5X").error().text(), "'5X' is no size; write 10M or 1G");
}

}  // namespace
}  // namespace sluice
