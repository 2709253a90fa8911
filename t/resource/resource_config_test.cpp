#include "resource/resource_config.hpp"

#include <gtest/gtest.h>

#include "sched/summary.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::piece;

Result<ResourceConfig> read(std::string_view json) {
    const JsonObject config = *parse_json_object(json);
    return ResourceConfig::from_config(config);
}

TEST(ResourceConfig, MakesRFromEntries) {  // conformance resource/R-parse-config.case
    const auto config = read(R"({"resource":{"config":[
        {"hosts":"blade[01-06]","cores":"0-3"}, {"hosts":"blade[03,06]","gpus":"0"},
        {"hosts":"blade[02-04]","properties":["bigmem","lab"]},
        {"hosts":"login","cores":"0,2","properties":["lab"]}]}})");
    ASSERT_TRUE(config) << config.error().text();
    ASSERT_TRUE(config->config);
    EXPECT_EQ(resource_summary(*config->config),
              "rank[0-1,3-4]/core[0-3] rank[2,5]/core[0-3],gpu0 rank6/core[0,2]");
    EXPECT_EQ(config->config->nodelist().to_string(), "blade[01-06],login");
    EXPECT_EQ(config->config->properties.at("bigmem").to_string(), "1-3");
    EXPECT_EQ(config->config->properties.at("lab").to_string(), "1-3,6");
}

TEST(ResourceConfig, NamesWhatIsWrong) {
    const struct {
        const char *json, *text;
    } table[] = {
        {R"({"resource":{"config":[{"cores":"0-1"}]}})",
         "resource.config[0]: Object item not found: hosts"},
        {R"({"resource":{"config":[{"hosts":"a"}]}})",
         "resource.config: a assigned no resources"},
        {R"({"resource":{"config":[{"hosts":"a","cores":"x"}]}})",
         "resource.config[0]: invalid idset cores='x'"},
        {R"({"resource":{"config":[{"hosts":"a","cores":"0","nosuch":1}]}})",
         "resource.config[0]: 1 object item(s) left unpacked: nosuch"},
        {R"({"resource":{"nosuch":1}})",
         "resource.nosuch: unknown key; resource has path, config, scheduling, exclude, "
         "norestrict, noverify, verify, rediscover, journal-max, history, no-update-watch, "
         "topology"},
        {R"({"resource":{"verify":"maybe"}})",
         "resource.verify: found string; use true, false or a table"},
        {R"({"resource":{"verify":{"core":"most"}}})",
         "resource.verify.core: found 'most'; use strict, allow-extra, allow-missing or "
         "ignore"},
        {R"({"fake-resources":{"nnodes":0}})",
         "fake-resources.nnodes: found 0, cores-per-node 64, gpus-per-node 0; want at least 1, 1, "
         "0 and at most 1048576"},
    };
    for (const auto& row : table) {
        const auto config = read(row.json);
        ASSERT_FALSE(config) << row.json;
        EXPECT_EQ(config.error().text(), row.text);
        EXPECT_EQ(config.error().errnum(), EINVAL);
    }
    EXPECT_FALSE(read(R"({"resource":{"exclude":5}})"));
    EXPECT_FALSE(read(R"({"fake-resources":{}})"));
}

TEST(ResourceConfig, FakesNodes) {
    const auto config = read(R"({"fake-resources":{"nnodes":4,"cores-per-node":8}})");
    ASSERT_TRUE(config);
    ASSERT_TRUE(config->fake);
    const ResourceSet R = config->fake->resource_set();
    EXPECT_EQ(resource_summary(R), "rank[0-3]/core[0-7]");
    EXPECT_EQ(R.nodelist().to_string(), "fake[0-3]");
}

TEST(Rerank, FindsRanksByHost) {  // conformance instance/boot-resource-order.case
    ResourceSet R;
    R.add({0, "n1", Idset{0}, {}});
    R.add({1, "n0", Idset{0, 1}, {}});
    R.properties["big"] = Idset{1};
    const auto ranked = rerank(R, *Hostlist::parse("n[0-1]"));
    ASSERT_TRUE(ranked);
    EXPECT_EQ(ranked->nodelist().to_string(), "n[0-1]");
    EXPECT_EQ(ranked->nodes()[0].cores.size(), 2u);
    EXPECT_EQ(ranked->properties.at("big").to_string(), "0");
}

TEST(Rerank, RefusesTooFewHosts) {  // conformance instance/boot-resource-too-few.case
    const auto ranked = rerank(cluster(1, 1), *Hostlist::parse("n[0-1]"));
    ASSERT_FALSE(ranked);
    EXPECT_EQ(ranked.error().text(),
              "error reranking R: Number of hosts (2) is greater than node count (1)");
}

TEST(Rerank, KeepsStrangersApartAndUnmatchedRAsItIs) {
    const auto some = rerank(cluster(3, 1), *Hostlist::parse("n2"));
    ASSERT_TRUE(some);
    EXPECT_EQ(some->nodelist().to_string(), "n[2,0-1]");
    const auto none = rerank(cluster(3, 1), *Hostlist::parse("elsewhere"));
    ASSERT_TRUE(none);
    EXPECT_EQ(*none, cluster(3, 1));
}

TEST(SeenFromInside, NumbersTheCoresThatTheBrokersAreBoundToFromZero) {
    const auto R = ResourceSet::parse(
        R"({"version":1,"execution":{"R_lite":[{"rank":"3","children":{"core":"4-6","gpu":"1"}},)"
        R"({"rank":"5","children":{"core":"0,7"}}],"starttime":5,"expiration":9,)"
        R"("nodelist":["n[3,5]"],"properties":{"big":"5"}}})");
    ASSERT_TRUE(R) << R.error().text();
    const ResourceSet inside = seen_from_inside(*R, "per-task");
    EXPECT_EQ(inside.to_short(), "rank3/core[0-2],gpu1 rank5/core[0-1]");
    EXPECT_EQ(inside.nodelist(), R->nodelist());
    EXPECT_EQ(inside.expiration, 9);
    EXPECT_EQ(inside.properties, R->properties);
    for (const char* unbound : {"off", "verbose,off", "dry-run", "map:0-3"})
        EXPECT_EQ(seen_from_inside(*R, unbound), *R) << unbound;
}

TEST(VerifyNode, SaysWhatIsMissing) {
    const ResourceSet::Node expected{0, "n0", Idset{0, 1, 2, 3}, Idset{0}};
    const struct {
        NodeDescription found;
        VerifyRule rule;
        std::string fault;
    } table[] = {
        {{"n0", Idset{0, 1, 2, 3}, Idset{0}, {}}, {}, ""},
        {{"n0", Idset{0, 1, 2, 3, 4}, Idset{0, 1}, {}}, {}, ""},
        {{"n0", Idset{0, 1}, {}, {}}, {}, "missing resources: core[2-3]"},
        {{"n0", Idset{0, 1}, {}, {}},
         {.gpu = VerifyRule::Mode::allow_extra},
         "missing resources: core[2-3],gpu0"},
        {{"n9", Idset{0, 1, 2, 3}, Idset{0}, {}}, {}, "hostname is n9, R has n0"},
        {{"n0", Idset{0, 1, 2, 3, 4}, Idset{0}, {}},
         {.core = VerifyRule::Mode::strict},
         "extra resources: core4"},
        {{"n0", {}, {}, {}},
         {.core = VerifyRule::Mode::ignore, .gpu = VerifyRule::Mode::allow_missing},
         ""},
    };
    for (const auto& row : table) EXPECT_EQ(verify_node(expected, row.found, row.rule), row.fault);
}

}  // namespace
}  // namespace sluice
