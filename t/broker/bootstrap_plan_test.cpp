#include "broker/lifecycle/bootstrap_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/toml.hpp"

namespace sluice {
namespace {

using testing::HasSubstr;

Result<BootstrapPlan> plan(std::string_view toml) {
    const Result<JsonObject> table = parse_toml(toml, "test");
    if (!table) return table.error();
    return BootstrapPlan::parse(*table);
}

std::string fault(std::string_view toml) {
    const auto parsed = plan(toml);
    return parsed ? "" : parsed.error().text();
}

TEST(BootstrapPlan, FillsInHostAndPort) {
    const auto parsed = plan(R"(
        curve_cert = "/c"
        default_port = 8050
        default_bind = "tcp://eth0:%p"
        default_connect = "tcp://%h.svc:%p"
        hosts = [ { host = "n[0-1]" }, { host = "x", bind = "tcp://lo:9", parent = "n1" } ])");
    ASSERT_TRUE(parsed);
    ASSERT_EQ(parsed->hosts.size(), 3u);
    EXPECT_EQ(parsed->hosts[1], (HostPlan{"n1", "tcp://eth0:8050", "tcp://n1.svc:8050", {}}));
    EXPECT_EQ(parsed->hosts[2], (HostPlan{"x", "tcp://lo:9", "tcp://x.svc:8050", "n1"}));
    EXPECT_EQ(parsed->curve_cert, "/c");
    const auto tree = parsed->topology({TopologyKind::Shape::custom, 0});
    ASSERT_TRUE(tree);
    EXPECT_EQ(tree->parent(Rank{2}), Rank{1});
}

TEST(BootstrapPlan, RanksFollowTheHostsAsWritten) {
    const auto parsed = plan(R"(hosts = [ { host = "z[3,1]" }, { host = "z3" }, { host = "a" } ])");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->hostlist().to_string(), "z[3,1],a");
    EXPECT_EQ(*parsed->rank_of("z1"), Rank{1});
    EXPECT_EQ(*parsed->rank_of("a.example.org"), Rank{2});
    EXPECT_THAT(parsed->rank_of("b").error().text(), HasSubstr("b not found in bootstrap.hosts"));
}

TEST(BootstrapPlan, NamesKeyAndHostOfAFault) {
    EXPECT_THAT(fault("hosts = 3"), HasSubstr("bootstrap.hosts: found integer"));
    EXPECT_THAT(fault("hosts = [ { bind = \"x\" } ]"), HasSubstr("bootstrap.hosts[0]: no host"));
    EXPECT_THAT(fault("hosts = [ { host = \"n[0\" } ]"), HasSubstr("bootstrap.hosts[0].host"));
    EXPECT_THAT(fault("hosts = [ { host = \"n\", rank = 1 } ]"), HasSubstr("hosts[0].rank"));
    EXPECT_THAT(fault("default_bind = \"tcp://%x\"\nhosts = [ { host = \"n\" } ]"),
                HasSubstr("bootstrap.bind of host n"));
    EXPECT_THAT(fault("default_bind = \"tcp://*:%p\"\nhosts = [ { host = \"n\" } ]"),
                HasSubstr("%p needs bootstrap.default_port"));
    EXPECT_THAT(fault("default_connect = \"udp://a\"\nhosts = [ { host = \"n\" } ]"),
                HasSubstr("neither tcp:// nor ipc://"));
    EXPECT_THAT(fault("default_port = 0"), HasSubstr("bootstrap.default_port: found 0"));
}

TEST(BootstrapPlan, RefusesAParentThatIsNoHost) {
    const auto parsed = plan(R"(hosts = [ { host = "a" }, { host = "b", parent = "c" } ])");
    ASSERT_TRUE(parsed);
    EXPECT_THAT(parsed->topology({TopologyKind::Shape::custom, 0}).error().text(),
                HasSubstr("parent c of host b is not in hosts"));
}

}  // namespace
}  // namespace sluice
