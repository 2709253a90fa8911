#include "base/rfc/hostlist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string joined(const Hostlist& list) {
    std::string text;
    for (const std::string& host : list.hosts()) text += (text.empty() ? "" : ",") + host;
    return text;
}

TEST(HostlistParse, ExpandsTheVectorsOfRfc29) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", ""},
        {"foox,fooy,fooz", "foox,fooy,fooz"},
        {"[1-3,5-6]", "1,2,3,5,6"},
        {"foo[1-5]", "foo1,foo2,foo3,foo4,foo5"},
        {"foo[0-2]-eth2", "foo0-eth2,foo1-eth2,foo2-eth2"},
        {"foo1,foo1,foo1", "foo1,foo1,foo1"},
        {"[00-02]", "00,01,02"},
        {"[00-2]", "00,01,02"},
        {"n[005,4,11-13]", "n005,n004,n011,n012,n013"},
        {"n[10,9]", "n10,n9"},
        {"foo[1,1,2,1]", "foo1,foo1,foo2,foo1"},
        {" a, b\n", "a,b"},
    };
    for (const auto& [text, expected] : rows) {
        const auto list = Hostlist::parse(text);
        ASSERT_TRUE(list) << text;
        EXPECT_EQ(joined(*list), expected);
    }
}

TEST(HostlistParse, RefusesBadBracketsRangesAndFloods) {
    for (const std::string_view text :
         {"n[", "n]", "n[0", "n]0[", "n[[0]]", "n[0][1]", "n[a]", "n[]", "n[1-]", "n[-1]", "n[2-1]",
          "n[1-2-3]", "n[0-1048576]", "n[0-99999999999999999999]", "n[0-1000000],m[0-1000000]"}) {
        const auto list = Hostlist::parse(text);
        ASSERT_FALSE(list) << text;
        EXPECT_EQ(list.error().errnum(), EINVAL);
    }
}

TEST(HostlistText, CompressesInOrderAndKeepsZeros) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"n1,n2,n3", "n[1-3]"},       {"n2,n1,n0", "n[2,1,0]"},
        {"n1,n1,n2", "n[1,1-2]"},     {"n08,n09,n10", "n[08-10]"},
        {"n8,n09", "n8,n09"},         {"n09,n8", "n09,n8"},
        {"n9,n10", "n[9-10]"},        {"n10,n9", "n[10,9]"},
        {"a1,b1", "a1,b1"},           {"login", "login"},
        {"blade01,blade02,login", "blade[01-02],login"},
        {"1,2", "[1-2]"},             {"n99999999999999999999,n1", "n99999999999999999999,n1"},
        {"n099,n100,n1000", "n[099-100,1000]"},
    };
    for (const auto& [text, expected] : rows) {
        const auto list = Hostlist::parse(text);
        ASSERT_TRUE(list) << text;
        EXPECT_EQ(list->to_string(), expected);
        const auto again = Hostlist::parse(list->to_string());
        ASSERT_TRUE(again);
        EXPECT_EQ(*again, *list) << text;
    }
}

TEST(HostlistOrder, SortsNumbersByValueAndDropsDuplicates) {
    Hostlist list{{"n10", "n9", "m1", "n9", "login"}};
    EXPECT_EQ(list.find("n9"), 1u);
    EXPECT_FALSE(list.contains("n1"));
    list.sort();
    EXPECT_EQ(joined(list), "login,m1,n9,n9,n10");
    list.uniq();
    EXPECT_EQ(list.to_string(), "login,m1,n[9-10]");
}

}  // namespace
}  // namespace sluice
