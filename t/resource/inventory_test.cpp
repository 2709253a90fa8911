#include "resource/inventory.hpp"

#include <gtest/gtest.h>

#include <random>

#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::piece;

TEST(Inventory, HasNothingFreeUntilRanksAreUp) {
    Inventory inventory(cluster(4, 8, 2));
    EXPECT_EQ(inventory.total_count(), (ResourceCount{4, 32, 8}));
    EXPECT_EQ(inventory.free_count(), (ResourceCount{0, 0, 0}));
    EXPECT_EQ(inventory.down().ranks().to_string(), "0-3");
    inventory.set_up(Idset{1, 2}, true);
    EXPECT_EQ(inventory.free_count(), (ResourceCount{2, 16, 4}));
    EXPECT_EQ(inventory.down().ranks().to_string(), "0,3");
    EXPECT_EQ(inventory.up_ranks().to_string(), "1-2");
}

TEST(Inventory, CountsWhatIsTakenAndGivenBack) {
    Inventory inventory(cluster(2, 4));
    inventory.set_up(Idset{0, 1}, true);
    ASSERT_TRUE(inventory.allocate(piece(1, Idset{0, 3})));
    EXPECT_EQ(inventory.free_count(), (ResourceCount{1, 6, 0}));
    EXPECT_EQ(inventory.allocated(), piece(1, Idset{0, 3}));
    inventory.free(piece(1, Idset{0, 3}));
    EXPECT_EQ(inventory.free_count(), (ResourceCount{2, 8, 0}));
    EXPECT_TRUE(inventory.allocated().empty());
}

TEST(Inventory, TakesEachCoreOnceOnly) {
    Inventory inventory(cluster(1, 4));
    inventory.set_up(Idset{0}, true);
    ASSERT_TRUE(inventory.allocate(piece(0, Idset{0, 1})));
    const auto again = inventory.allocate(piece(0, Idset{1, 2}));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().errnum(), EBUSY);
    EXPECT_EQ(inventory.free_count().cores, 1u);
    inventory.free(piece(0, Idset{0, 1, 2, 3}));  // core 3 was free already
    EXPECT_EQ(inventory.free_count().cores, 4u);
}

TEST(Inventory, KeepsAllocationsOfRanksThatGoDown) {
    Inventory inventory(cluster(2, 4));
    inventory.set_up(Idset{0, 1}, true);
    ASSERT_TRUE(inventory.allocate(piece(0, Idset{0})));
    inventory.set_up(Idset{0}, false);
    EXPECT_EQ(inventory.free_count(), (ResourceCount{1, 4, 0}));
    EXPECT_EQ(inventory.allocated(), piece(0, Idset{0}));
    inventory.free(piece(0, Idset{0}));
    inventory.set_up(Idset{0}, true);
    EXPECT_EQ(inventory.free_count(), (ResourceCount{2, 8, 0}));
}

TEST(Inventory, PassesOverWhatDoesNotExist) {
    Inventory inventory(cluster(1, 2));
    inventory.set_up(Idset{0, 7}, true);
    EXPECT_TRUE(inventory.allocate(piece(7, Idset{0})));
    EXPECT_TRUE(inventory.allocate(piece(0, Idset{5})));
    EXPECT_EQ(inventory.free_count(), (ResourceCount{1, 2, 0}));
}

TEST(Inventory, NumbersCoresByTheirLogicalIds) {
    ResourceSet R;
    R.add({3, "a", Idset{2, 5, 70}, Idset{1}});
    Inventory inventory(R);
    inventory.set_up(Idset{3}, true);
    ASSERT_TRUE(inventory.allocate(piece(3, Idset{70}, Idset{1})));
    ASSERT_EQ(inventory.allocated().nodes().size(), 1u);
    EXPECT_EQ(inventory.allocated().nodes()[0].cores.to_string(), "70");
    EXPECT_EQ(inventory.allocated().nodes()[0].gpus.to_string(), "1");
}

TEST(Inventory, AnswersConstraintsByPropertyAndHost) {
    ResourceSet R = cluster(3, 1);
    R.properties["fast"] = Idset{1, 2};
    const Inventory inventory(R);
    const Constraint fast = test::constraint(R"({"properties":["fast"]})");
    const Constraint host = test::constraint(R"({"hostlist":["n[0,2]"]})");
    EXPECT_FALSE(inventory.matches(0, fast));
    EXPECT_TRUE(inventory.matches(1, fast));
    EXPECT_TRUE(inventory.matches(0, host));
    EXPECT_FALSE(inventory.matches(1, host));
}

TEST(Inventory, PlansOnCopiesWithoutTouchingTheOriginal) {
    Inventory inventory(cluster(1, 2));
    inventory.set_up(Idset{0}, true);
    Inventory plan = inventory;
    ASSERT_TRUE(plan.allocate(piece(0, Idset{0, 1})));
    EXPECT_EQ(plan.free_count().cores, 0u);
    EXPECT_EQ(inventory.free_count().cores, 2u);
}

TEST(Inventory, ChangesManyAtOnceAsOneByOne) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const auto nodes = static_cast<std::uint32_t>(1 + random() % 40);
        const auto cores = static_cast<std::uint32_t>(1 + random() % 130);
        const ResourceSet all = test::cluster(nodes, cores, 2);
        Inventory one(all), many(all);
        one.set_up(all.ranks(), true);
        many.set_up(all.ranks(), true);
        std::vector<ResourceSet> parts(1 + random() % 6);
        std::vector<const ResourceSet*> pointers;
        for (ResourceSet& R : parts) {
            for (std::uint32_t rank = 0; rank < nodes; ++rank)
                if (random() % 2)
                    R.add({rank, "n" + std::to_string(rank),
                           Idset::range(static_cast<std::uint32_t>(random()) % cores, cores),
                           Idset{1}});
            pointers.push_back(&R);
        }
        const auto expect_equal = [&] {
            EXPECT_EQ(one.allocated(), many.allocated());
            EXPECT_EQ(one.free_count(), many.free_count());
            for (std::uint32_t need = 0; need <= cores; ++need)
                EXPECT_EQ(one.room().next(0, {need, 0, 0}), many.room().next(0, {need, 0, 0}));
        };
        for (const ResourceSet& R : parts) (void)one.allocate(R);
        many.allocate(pointers);
        expect_equal();
        for (const ResourceSet& R : parts) one.free(R);
        many.free(pointers);
        expect_equal();
        EXPECT_EQ(many.free_count(), many.total_count());
    }
}

TEST(ResourceGraph, SharesTheSubtreeOfNodesThatAreAlike) {
    const LocalityMap locality{{0, {{LocalityDomain::Kind::numa, Idset{0, 1}, Idset{0}},
                                    {LocalityDomain::Kind::numa, Idset{2, 3}, {}}}}};
    const ResourceGraph graph(cluster(1000, 4, 1), locality);
    EXPECT_EQ(graph.topology_count(), 2u);
    EXPECT_EQ(graph.count(VertexKind::node), 1000u);
    EXPECT_EQ(graph.count(VertexKind::numa), 2u);
    EXPECT_EQ(graph.count(VertexKind::core), 8u);
    EXPECT_EQ(graph.count(VertexKind::gpu), 2u);
    EXPECT_EQ(graph.edge_count(), 2000u + 2u + 8u + 2u);
    ASSERT_EQ(graph.topology(0).domains.size(), 2u);
    EXPECT_TRUE(graph.topology(0).domains[0].gpus.test(0));
    EXPECT_TRUE(graph.topology(1).domains.empty());
}

TEST(ResourceGraph, NestsDomainsByContainmentSmallestFirst) {
    const LocalityMap locality{{0, {{LocalityDomain::Kind::socket, Idset{0, 1, 2, 3}, {}},
                                    {LocalityDomain::Kind::numa, Idset{0, 1}, {}},
                                    {LocalityDomain::Kind::numa, Idset{2, 3}, {}}}}};
    const ResourceGraph graph(cluster(1, 8), locality);
    const auto& domains = graph.topology(0).domains;
    ASSERT_EQ(domains.size(), 3u);
    EXPECT_EQ(domains[0].kind, VertexKind::numa);
    EXPECT_EQ(domains[2].kind, VertexKind::socket);
    EXPECT_EQ(domains[2].cores.count(), 4u);
}

TEST(FreeTree, FindsTheNextAndPreviousNodeWithRoom) {
    for (const std::size_t size : {1u, 2u, 5u, 64u, 100u}) {
        FreeTree tree(size);
        const std::size_t wanted = size / 2;
        NodeRoom room;
        room.cores = 4;
        room.gpus = 1;
        tree.set(wanted, room);
        NodeRoom need;
        need.cores = 3;
        EXPECT_EQ(tree.next(0, need), wanted);
        EXPECT_EQ(tree.next(wanted + 1, need), std::nullopt);
        EXPECT_EQ(tree.previous(size - 1, need), wanted);
        if (wanted) {
            EXPECT_EQ(tree.previous(wanted - 1, need), std::nullopt);
        }
        need.idle = 1;
        EXPECT_EQ(tree.next(0, need), std::nullopt);
    }
}

TEST(FreeTree, NeedsCoresAndGpusInOneNode) {
    FreeTree tree(4);
    NodeRoom cores, gpus, need;
    cores.cores = 4;
    gpus.gpus = 1;
    tree.set(0, cores);
    tree.set(1, gpus);
    need.cores = need.gpus = 1;
    EXPECT_EQ(tree.next(0, need), std::nullopt);
    EXPECT_EQ(tree.previous(3, need), std::nullopt);
    cores.gpus = 1;
    tree.set(3, cores);
    EXPECT_EQ(tree.next(0, need), 3u);
}

TEST(NodeDescription, TravelsAsJson) {
    const NodeDescription node{"n1", Idset{0, 1, 2, 3}, Idset{0},
                               {{LocalityDomain::Kind::socket, Idset{0, 1}, Idset{0}},
                                {LocalityDomain::Kind::numa, Idset{2, 3}, {}}}};
    const auto back = NodeDescription::from_json(node.to_json());
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, node);
}

TEST(NodeDescription, RefusesWhatItCannotRead) {
    for (const char* text : {R"({"cores":"0"})", R"({"hostname":"a","cores":"x"})",
                             R"({"hostname":"a","locality":[1]})",
                             R"({"hostname":"a","locality":[{"kind":"moon"}]})"}) {
        const JsonObject object = *parse_json_object(text);
        EXPECT_FALSE(NodeDescription::from_json(object)) << text;
    }
}

}  // namespace
}  // namespace sluice
