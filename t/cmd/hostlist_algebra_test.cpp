#include "cmd/options/hostlist_algebra.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

Hostlist hosts(std::string_view text) { return *Hostlist::parse(text); }

TEST(HostlistAlgebra, CombinesTwoLists) {
    EXPECT_EQ(hosts_in_both(hosts("n[1-9,7]"), hosts("n[5-12]")), hosts("n[5-9]"));
    EXPECT_EQ(hosts_without(hosts("n[1,1,2]"), hosts("n1")), hosts("n[1-2]"));
    EXPECT_EQ(hosts_without(hosts("n[1-3]"), hosts("n[2,9]")), hosts("n[1,3]"));
    EXPECT_EQ(hosts_in_one(hosts("n[1-3]"), hosts("n[2-5]")), hosts("n[1,4-5]"));
}

TEST(HostlistAlgebra, ExcludesIndicesOrEveryOccurrenceOfHosts) {
    EXPECT_EQ(*hosts_excluding(hosts("n[5-9]"), "0,2"), hosts("n[6,8-9]"));
    EXPECT_EQ(*hosts_excluding(hosts("n[5,6,5]"), "n5,x"), hosts("n6"));
    EXPECT_FALSE(hosts_excluding(hosts("n5"), "n["));
}

TEST(HostlistAlgebra, TakesFromEitherEnd) {
    EXPECT_EQ(hosts_limited(hosts("n[5-9]"), 2), hosts("n[5-6]"));
    EXPECT_EQ(hosts_limited(hosts("n[5-9]"), -2), hosts("n[8-9]"));
    EXPECT_EQ(hosts_limited(hosts("n[5-9]"), 99), hosts("n[5-9]"));
    EXPECT_EQ(hosts_limited(hosts("n[5-9]"), -99), hosts("n[5-9]"));
    EXPECT_EQ(hosts_limited(hosts("n[5-9]"), 0), Hostlist{});
}

TEST(HostlistAlgebra, PicksIndicesAndRefusesThoseOutOfRange) {
    const Hostlist list = hosts("n[5-9]");
    EXPECT_EQ(*hosts_at(list, "0,2-3"), hosts("n[5,7-8]"));
    EXPECT_EQ(*hosts_at(list, "-1"), hosts("n9"));
    EXPECT_EQ(*hosts_at(list, "-1-2"), hosts("n[8-9]"));
    for (const std::string_view ids : {"5", "-6", "-0", "0-5"})
        EXPECT_EQ(hosts_at(list, ids).error().text(), "Hostlist index out of range") << ids;
    EXPECT_FALSE(hosts_at(list, "x"));
}

}  // namespace
}  // namespace sluice
