#include "base/rfc/resource_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

constexpr std::string_view sample =
    R"({"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}},)"
    R"({"rank":"2","children":{"gpu":"0","core":"0-1"}}],"starttime":10.5,"expiration":20.0,)"
    R"("nodelist":["n[0-2]"],"nslots":4,"properties":{"big":"2","fast":"0-2"}}})";

ResourceSet set_of(std::string_view text) {
    auto set = ResourceSet::parse(text);
    EXPECT_TRUE(set) << text;
    return set.value_or({});
}

ResourceSet node(std::uint32_t rank, std::string_view cores, std::string_view gpus = "") {
    ResourceSet set;
    set.add({rank, fmt::format("n{}", rank), *Idset::parse(cores), *Idset::parse(gpus)});
    return set;
}

TEST(ResourceSetText, RoundTrips) {
    const ResourceSet set = set_of(sample);
    EXPECT_EQ(set.to_string(), sample);
    EXPECT_EQ(set.node_count(), 3u);
    EXPECT_EQ(set.core_count(), 10u);
    EXPECT_EQ(set.gpu_count(), 1u);
    EXPECT_EQ(set.ranks().to_string(), "0-2");
    EXPECT_EQ(set.nodelist().to_string(), "n[0-2]");
    ASSERT_TRUE(set.find(2));
    EXPECT_EQ(set.find(2)->host, "n2");
    EXPECT_FALSE(set.find(3));
}

TEST(ResourceSetText, TakesIntegerTimesAndAnEmptyNodelist) {
    const ResourceSet set = set_of(
        R"({"version":1,"execution":{"R_lite":[],"starttime":1,"expiration":2,"nodelist":[""]}})");
    EXPECT_EQ(set.starttime, 1.0);
    EXPECT_TRUE(set.empty());
    EXPECT_EQ(set.to_string(), R"({"version":1,"execution":{"R_lite":[],"starttime":1.0,)"
                               R"("expiration":2.0,"nodelist":[""]}})");
}

TEST(ResourceSetText, GivesHostsInRankOrder) {
    const ResourceSet set = set_of(
        R"({"version":1,"execution":{"R_lite":[{"rank":"0,3","children":{"core":"0"}},)"
        R"({"rank":"2","children":{"core":"1"}}],"nodelist":["n[0,2-3]"]}})");
    EXPECT_EQ(set.find(2)->host, "n2");
    EXPECT_EQ(set.find(3)->host, "n3");
}

TEST(ResourceSetText, KeepsSchedulingAsItIs) {
    const ResourceSet set = set_of(
        R"({"version":1,"execution":{"R_lite":[]},"scheduling":{"graph":{"nodes":[]}}})");
    ASSERT_TRUE(set.scheduling);
    EXPECT_THAT(set.to_string(), HasSubstr(R"("scheduling":{"graph":{"nodes":[]}})"));
}

TEST(ResourceSetText, RefusesAndNamesTheFault) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"[]", "object"},
        {R"({"execution":{"R_lite":[]}})", "version"},
        {R"({"version":2,"execution":{"R_lite":[]}})", "version 2"},
        {R"({"version":1})", "execution"},
        {R"({"version":1,"execution":{}})", "R_lite"},
        {R"({"version":1,"execution":{"R_lite":[1]}})", "R_lite"},
        {R"({"version":1,"execution":{"R_lite":[{"rank":"x","children":{}}]}})", "rank"},
        {R"({"version":1,"execution":{"R_lite":[{"rank":"0"}]}})", "children"},
        {R"({"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":1}}]}})", "core"},
        {R"({"version":1,"execution":{"R_lite":[{"rank":"0-4294967294","children":{}}]}})",
         "ranks"},
        {R"({"version":1,"execution":{"R_lite":[],"nodelist":["a"]}})", "nodelist has 1"},
        {R"({"version":1,"execution":{"R_lite":[],"nodelist":["a["]}})", "nodelist"},
        {R"({"version":1,"execution":{"R_lite":[],"starttime":"x"}})", "starttime"},
        {R"({"version":1,"execution":{"R_lite":[],"nslots":1.5}})", "nslots"},
        {R"({"version":1,"execution":{"R_lite":[],"properties":{"a":1}}})", "properties"},
    };
    for (const auto& [text, expected] : rows) {
        const auto set = ResourceSet::parse(text);
        ASSERT_FALSE(set) << text;
        EXPECT_THAT(set.error().text(), HasSubstr(expected)) << text;
    }
}

TEST(ResourceSetAlgebra, UnionMergesNodesAndProperties) {
    ResourceSet a = node(1, "0-1");
    a.properties["x"] = Idset{1};
    ResourceSet b = node(0, "0") | node(1, "2", "0");
    b.properties["x"] = Idset{0};
    const ResourceSet both = a | b;
    EXPECT_EQ(both.find(1)->cores.to_string(), "0-2");
    EXPECT_EQ(both.gpu_count(), 1u);
    EXPECT_EQ(both.ranks().to_string(), "0-1");
    EXPECT_EQ(both.properties.at("x").to_string(), "0-1");
}

TEST(ResourceSetAlgebra, DifferenceDropsEmptiedNodes) {
    ResourceSet a = node(0, "0-3") | node(1, "0-3");
    a.properties["x"] = Idset{0};
    const ResourceSet left = a - (node(0, "0-3") | node(1, "0-1"));
    EXPECT_EQ(left.ranks().to_string(), "1");
    EXPECT_EQ(left.find(1)->cores.to_string(), "2-3");
    EXPECT_TRUE(left.properties.empty());
}

TEST(ResourceSetAlgebra, IntersectionKeepsWhatBothHave) {
    const ResourceSet a = node(0, "0-3") | node(1, "0-3", "0") | node(2, "0");
    const ResourceSet b = node(1, "2-5", "0") | node(2, "1");
    const ResourceSet both = a & b;
    EXPECT_EQ(both.ranks().to_string(), "1");
    EXPECT_EQ(both.find(1)->cores.to_string(), "2-3");
    EXPECT_EQ(both.gpu_count(), 1u);
}

TEST(ResourceSetText, HasAShortFormForPeople) {
    EXPECT_EQ(set_of(sample).to_short(), "rank[0-1]/core[0-3] rank2/core[0-1],gpu0");
    EXPECT_EQ((node(0, "0") | node(1, "1") | node(2, "0")).to_short(),
              "rank[0,2]/core0 rank1/core1");
    EXPECT_EQ(ResourceSet{}.to_short(), "");
}

TEST(ResourceSetRanks, SelectsAndRemoves) {
    const ResourceSet set = set_of(sample);
    const ResourceSet some = set.only_ranks(Idset{0, 1});
    EXPECT_EQ(some.nodelist().to_string(), "n[0-1]");
    EXPECT_FALSE(some.properties.contains("big"));
    EXPECT_EQ(some.expiration, 20.0);
    EXPECT_EQ(set.without_ranks(Idset{0, 1}).nodelist().to_string(), "n2");
}

}  // namespace
}  // namespace sluice
