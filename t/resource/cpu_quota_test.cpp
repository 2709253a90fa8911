#include "resource/probe/cpu_quota.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(CpuQuota, IsQuotaByPeriod) {
    EXPECT_EQ(parse_cpu_max("150000 100000"), 1.5);
    EXPECT_EQ(parse_cpu_max("50000 100000"), 0.5);
}

TEST(CpuQuota, NoLimitIsNone) {
    EXPECT_EQ(parse_cpu_max("max 100000"), std::nullopt);
    EXPECT_EQ(parse_cpu_max("-1 100000"), std::nullopt);
    EXPECT_EQ(parse_cpu_max(" "), std::nullopt);
    EXPECT_EQ(parse_cpu_max("100000"), std::nullopt);
    EXPECT_EQ(parse_cpu_max("100000 0"), std::nullopt);
}

}  // namespace
}  // namespace sluice
