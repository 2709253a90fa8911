#include "resource/instance_resources.hpp"

#include <gtest/gtest.h>

#include "sched/summary.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using Strings = std::vector<std::string>;

/// Writes down what the resources tell others.
class Fixture {
  public:
    explicit Fixture(std::uint32_t size, ResourceConfig config = {})
        : resources(std::move(config), *Hostlist::parse(fmt::format("n[0-{}]", size - 1)),
                    {.now = [this] { return now += 1; },
                     .define =
                         [this](const ResourceSet& R, const LocalityMap&, const Idset& up) {
                             told.push_back("define " + resource_summary(R) + " up " +
                                            up.to_string());
                         },
                     .up = [this](const Idset& r) { told.push_back("up " + r.to_string()); },
                     .down = [this](const Idset& r) { told.push_back("down " + r.to_string()); },
                     .event =
                         [this](const ResourceLog::Event& event) {
                             names.emplace_back(event.entry.at("name").as_string());
                         }}) {}
    Strings take_told() { return std::exchange(told, {}); }
    NodeDescription node(std::uint32_t cores) const {
        return {"host", Idset::range(0, cores - 1), {}, {}};
    }

    double now = 100;
    Strings told, names;
    InstanceResources resources;
};

TEST(InstanceResources, DiscoversWhenAllHaveReported) {
    Fixture fixture(2);
    ASSERT_TRUE(fixture.resources.start({}, {}));
    EXPECT_TRUE(fixture.resources.wants_reports());
    fixture.resources.set_online(Idset{0});
    fixture.resources.report(0, fixture.node(2));
    EXPECT_EQ(fixture.take_told(), Strings{});
    fixture.resources.report(1, fixture.node(4));
    EXPECT_EQ(fixture.take_told(), Strings{"define rank0/core[0-1] rank1/core[0-3] up 0"});
    fixture.resources.set_online(Idset{0, 1});
    EXPECT_EQ(fixture.take_told(), Strings{"up 1"});
    EXPECT_EQ(fixture.names, (Strings{"restart", "online", "resource-define", "online"}));
    EXPECT_EQ(fixture.resources.R().nodelist().to_string(), "n[0-1]");
    fixture.resources.report(1, fixture.node(4));  // came back unchanged
    EXPECT_EQ(fixture.take_told(), Strings{});
}

TEST(InstanceResources, AddsLatecomersToADiscovery) {
    Fixture fixture(3);
    ASSERT_TRUE(fixture.resources.start({}, {}));
    fixture.resources.set_online(Idset{0});
    fixture.resources.report(0, fixture.node(1));
    fixture.resources.complete();
    EXPECT_EQ(fixture.take_told(), Strings{"define rank0/core0 up 0"});
    fixture.resources.report(2, fixture.node(1));
    EXPECT_EQ(fixture.take_told(), Strings{"define rank[0,2]/core0 up 0"});
}

ResourceConfig configured(const ResourceSet& R, bool noverify, std::string exclude = {}) {
    ResourceConfig config;
    config.config = R;
    config.noverify = noverify;
    config.exclude = std::move(exclude);
    return config;
}

TEST(InstanceResources, TakesConfiguredResourcesAtOnce) {
    Fixture fixture(2, configured(test::cluster(2, 8), true));
    ASSERT_TRUE(fixture.resources.start({}, {}));
    EXPECT_EQ(fixture.take_told(), Strings{"define rank[0-1]/core[0-7] up "});
    EXPECT_FALSE(fixture.resources.wants_reports());
    EXPECT_EQ(fixture.resources.method(), "configuration");
}

TEST(InstanceResources, DrainsNodesThatLackSomething) {
    Fixture fixture(2, configured(test::cluster(2, 8), false));
    ASSERT_TRUE(fixture.resources.start({}, {}));
    fixture.resources.set_online(Idset{0, 1});
    fixture.take_told();
    fixture.resources.report(1, {"n1", Idset::range(0, 3), {}, {}});
    EXPECT_EQ(fixture.take_told(), Strings{"down 1"});
    EXPECT_EQ(fixture.resources.states().drained().at(1).reason, "missing resources: core[4-7]");
}

TEST(InstanceResources, LeavesExcludedNodesToNobody) {
    Fixture fixture(3, configured(test::cluster(3, 2), true, "n1"));
    ASSERT_TRUE(fixture.resources.start({}, {}));
    fixture.resources.set_online(Idset{0, 1, 2});
    EXPECT_EQ(fixture.take_told(), (Strings{"define rank[0,2]/core[0-1] up ", "up 0,2"}));
    const auto drain = fixture.resources.drain("1", "x", DrainMode::refuse);
    ASSERT_FALSE(drain);
    EXPECT_EQ(drain.error().text(), "rank 1 excluded");
    EXPECT_EQ(fixture.resources.status_json().at("exclude").as_string(), "1");

    for (const char* wrong : {"nosuchhost", "7", "n[0"}) {
        Fixture bad(3, configured(test::cluster(3, 2), true, wrong));
        EXPECT_FALSE(bad.resources.start({}, {})) << wrong;
    }
}

TEST(InstanceResources, DrainsAndUndrains) {
    Fixture fixture(4, configured(test::cluster(4, 2), true));
    ASSERT_TRUE(fixture.resources.start({}, {}));
    fixture.resources.set_online(Idset{0, 1, 2, 3});
    fixture.take_told();
    ASSERT_TRUE(fixture.resources.drain("n[1-2]", "bad disk", DrainMode::refuse));
    EXPECT_EQ(fixture.take_told(), Strings{"down 1-2"});
    const auto again = fixture.resources.drain("2-3", "other", DrainMode::refuse);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().text(), "rank 2 already drained");
    EXPECT_EQ(again.error().errnum(), EEXIST);
    EXPECT_EQ(fixture.resources.status_json().at("drain").as_object().size(), 1u);
    ASSERT_TRUE(fixture.resources.drain("2", "worse", DrainMode::overwrite));
    EXPECT_EQ(fixture.resources.states().drained().at(2).reason, "worse");
    EXPECT_EQ(fixture.resources.states().drained().at(2).timestamp,
              fixture.resources.states().drained().at(1).timestamp);
    EXPECT_EQ(fixture.resources.status_json().at("drain").as_object().size(), 2u);
    EXPECT_FALSE(fixture.resources.undrain("3", {}, DrainMode::refuse));
    ASSERT_TRUE(fixture.resources.undrain("1-3", {}, DrainMode::update));
    EXPECT_EQ(fixture.take_told(), Strings{"up 1-2"});
    const auto range = fixture.resources.drain("9", {}, DrainMode::refuse);
    ASSERT_FALSE(range);
    EXPECT_EQ(range.error().text(), "idset is out of range");
    const auto host = fixture.resources.drain("n7,n1", {}, DrainMode::refuse);
    ASSERT_FALSE(host);
    EXPECT_EQ(host.error().text(), "invalid hosts: n7");
    EXPECT_EQ(fixture.names.back(), "undrain");
}

TEST(InstanceResources, ADrainWithoutReasonMayGetOneLater) {
    Fixture fixture(2, configured(test::cluster(2, 2), true));
    ASSERT_TRUE(fixture.resources.start({}, {}));
    const auto drain = [&](const char* ranks, std::optional<std::string> reason, DrainMode mode) {
        return fixture.resources.drain(ranks, reason, mode);
    };
    const auto reason = [&](std::uint32_t rank) {
        return fixture.resources.states().drained().at(rank).reason;
    };
    ASSERT_TRUE(drain("1", {}, DrainMode::refuse));
    ASSERT_TRUE(drain("1", {}, DrainMode::refuse));
    ASSERT_TRUE(drain("1", "first", DrainMode::refuse));
    EXPECT_FALSE(drain("0-1", "second", DrainMode::refuse));
    ASSERT_TRUE(drain("0-1", "third", DrainMode::update));
    EXPECT_EQ(reason(0), "third");
    EXPECT_EQ(reason(1), "first");
}

TEST(InstanceResources, RestoresDrainedNodesByTheirHosts) {
    Fixture fixture(3);
    const auto event = [](double time, const char* name, const char* ranks, const char* hosts,
                          int overwrite) {
        return Event{time, name,
                     {{"idset", ranks}, {"nodelist", hosts}, {"reason", name},
                      {"overwrite", overwrite}}};
    };
    fixture.resources.restore({event(1, "drain", "0-2", "n1,n2,gone", 0),  // other ranks then
                               event(2, "drain", "1", "n1", 1),            // a new reason only
                               event(3, "resource-define", "", "", 0),
                               event(4, "undrain", "2", "n2", 0)});
    EXPECT_EQ(fixture.resources.states().drained(),
              (std::map<std::uint32_t, NodeStates::Drained>{{1, {1, "drain"}}}));
    const auto backlog = fixture.resources.log().backlog();
    ASSERT_EQ(backlog.size(), 1u);
    EXPECT_EQ(backlog[0].at("events").as_array().size(), 4u);  // and restart
}

TEST(InstanceResources, UsesTheResourcesOfTheEnclosingJob) {
    Fixture fixture(2);
    ResourceSet parent;
    parent.add({4, "a", Idset{2, 3}, {}});
    parent.add({9, "b", Idset{0}, {}});
    parent.expiration = 5000;
    ASSERT_TRUE(fixture.resources.start({}, parent));
    EXPECT_EQ(fixture.take_told(), Strings{"define rank0/core[2-3] rank1/core0 up "});
    EXPECT_EQ(fixture.resources.R().expiration, 5000);
    // What the parent gave is taken as it is, unless verify is configured.
    fixture.resources.report(0, fixture.node(8));
    EXPECT_TRUE(fixture.resources.states().drained().empty());
    ResourceConfig strict;
    strict.verify_given = true;
    Fixture verifying(2, strict);
    ASSERT_TRUE(verifying.resources.start({}, parent));
    verifying.resources.report(0, verifying.node(8));
    EXPECT_TRUE(verifying.resources.states().drained().contains(0));
    Fixture larger(3);
    ASSERT_TRUE(larger.resources.start({}, parent));
    EXPECT_FALSE(larger.resources.defined());
}

TEST(InstanceResources, FakesAreAllUp) {
    ResourceConfig config;
    config.fake = FakeResources{.nnodes = 4, .cores_per_node = 8};
    Fixture fixture(1, config);
    ASSERT_TRUE(fixture.resources.start({}, {}));
    EXPECT_EQ(fixture.take_told(), Strings{"define rank[0-3]/core[0-7] up 0-3"});
    EXPECT_FALSE(fixture.resources.wants_reports());
}

TEST(ResourceLog, GivesEventsWithResourcesOnTheirOwn) {
    ResourceLog log(10);
    log.add(1, "restart", {});
    log.add(2, "online", {});
    log.add(3, "resource-define", {}, Json("R"));
    log.add(4, "drain", {});
    const auto backlog = log.backlog();
    ASSERT_EQ(backlog.size(), 3u);
    EXPECT_EQ(backlog[0].at("events").as_array().size(), 2u);
    EXPECT_FALSE(backlog[0].contains("R"));
    EXPECT_EQ(backlog[1].at("R").as_string(), "R");
    EXPECT_EQ(dump_json(backlog[2]),
              R"({"events":[{"timestamp":4.0,"name":"drain","context":{}}]})");
}

TEST(ResourceLog, ForgetsTheOldest) {
    ResourceLog log(2);
    for (int i = 0; i < 5; ++i) log.add(i, "online", {});
    EXPECT_EQ(log.size(), 2u);
    EXPECT_EQ(log.backlog()[0].at("events").as_array()[0].at("timestamp").as_double(), 3);
}

}  // namespace
}  // namespace sluice
