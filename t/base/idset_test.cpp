#include "base/rfc/idset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Idset ids(std::string_view text) {
    auto set = Idset::parse(text);
    EXPECT_TRUE(set) << text;
    return set.value_or({});
}

TEST(IdsetParse, ReadsWhatRfc22Writes) {
    struct Row {
        std::string_view text, canonical;
        std::size_t size;
    };
    const Row rows[] = {
        {"", "", 0},       {"[]", "", 0},          {"0", "0", 1},
        {"[0]", "0", 1},   {"0,1", "0-1", 2},      {"[1-3,5-6,42]", "1-3,5-6,42", 6},
        {"1-3,4", "1-4", 4}, {"7-7", "7", 1},      {"0-4294967294", "0-4294967294", 4294967295},
        {"2,4,6", "2,4,6", 3},
    };
    for (const Row& row : rows) {
        const auto set = Idset::parse(row.text);
        ASSERT_TRUE(set) << row.text;
        EXPECT_EQ(set->to_string(), row.canonical);
        EXPECT_EQ(set->size(), row.size);
    }
}

TEST(IdsetParse, RefusesAndNamesTheFault) {
    for (const std::string_view text :
         {"x", "1,", ",1", "1,,2", "2-1", "1-", "-1", "1-2-3", "00", "01", "[0", "0]", "[[0]]",
          "1 2", "1,1", "3,1", "1-5,4", "4294967295", "99999999999999999999", "[]0", "0x1"}) {
        const auto set = Idset::parse(text);
        ASSERT_FALSE(set) << text;
        EXPECT_EQ(set.error().errnum(), EINVAL);
        EXPECT_THAT(set.error().text(), HasSubstr("invalid idset"));
    }
}

TEST(IdsetText, BracketsOnlySeveralIds) {
    EXPECT_EQ(ids("").to_bracketed(), "");
    EXPECT_EQ(ids("7").to_bracketed(), "7");
    EXPECT_EQ(ids("7-8").to_bracketed(), "[7-8]");
    EXPECT_EQ(ids("1,3").to_bracketed(), "[1,3]");
}

TEST(IdsetAlgebra, KeepsRangesApart) {
    EXPECT_EQ(ids("0-3") | ids("4-5"), ids("0-5"));
    EXPECT_EQ(ids("0-3") | ids("5"), ids("0-3,5"));
    EXPECT_EQ(ids("0-9") - ids("0,3-4,9"), ids("1-2,5-8"));
    EXPECT_EQ(ids("0-9") - ids("0-4294967294"), Idset{});
    EXPECT_EQ(ids("0-3,6-9") & ids("2-7"), ids("2-3,6-7"));
}

/// Compares every operation with std::set over all pairs of subsets of 0..6.
TEST(IdsetAlgebra, AgreesWithASet) {
    const auto subset = [](unsigned bits) {
        Idset set;
        for (unsigned id = 7; id-- > 0;)
            if (bits >> id & 1) set.insert(id);
        return set;
    };
    for (unsigned a = 0; a < 128; ++a)
        for (unsigned b = 0; b < 128; ++b) {
            ASSERT_EQ(subset(a) | subset(b), subset(a | b));
            ASSERT_EQ(subset(a) & subset(b), subset(a & b));
            ASSERT_EQ(subset(a) - subset(b), subset(a & ~b));
        }
}

TEST(IdsetEdit, InsertsErasesAndFinds) {
    for (unsigned bits = 0; bits < 256; ++bits) {
        Idset set;
        std::set<Idset::Id> expected;
        for (unsigned id = 0; id < 8; ++id)
            if (bits >> (id * 3 % 8) & 1) {
                set.insert(id * 3 % 8);
                expected.insert(id * 3 % 8);
            }
        set.insert(2, 4);
        expected.insert({2, 3, 4});
        set.erase(3);
        expected.erase(3);
        ASSERT_THAT(set.to_vector(), testing::ElementsAreArray(expected));
        for (unsigned id = 0; id < 9; ++id) ASSERT_EQ(set.contains(id), expected.contains(id));
    }
}

TEST(IdsetAccess, GivesFirstLastAndNth) {
    const Idset set = ids("2,5-7");
    EXPECT_EQ(set.first(), 2u);
    EXPECT_EQ(set.last(), 7u);
    EXPECT_EQ(set.nth(0), 2u);
    EXPECT_EQ(set.nth(3), 7u);
    EXPECT_THAT(set.to_vector(), ElementsAre(2, 5, 6, 7));
}

}  // namespace
}  // namespace sluice
