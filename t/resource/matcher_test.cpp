#include "resource/match/matcher.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sched/summary.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::nodes;
using test::piece;
using test::slots;
using test::whole_nodes;

Inventory all_up(const ResourceSet& R, const LocalityMap& locality = {}) {
    Inventory inventory(R, locality);
    inventory.set_up(R.ranks(), true);
    return inventory;
}

/// What is given, in short form, or what is missing.
std::string placed(const Inventory& inventory, const ResourceRequest& request,
                   MatchOptions options = {}, const Constraint& constraint = {}) {
    const auto found = MatchShape(inventory, request, constraint, options).match(inventory);
    if (const auto* R = std::get_if<ResourceSet>(&found)) return resource_summary(*R);
    return std::get<std::string>(found);
}

/// Places the requests one after the other.
std::vector<std::string> placed_in_turn(Inventory inventory,
                                        const std::vector<ResourceRequest>& requests,
                                        MatchOptions options = {}) {
    std::vector<std::string> all;
    for (const ResourceRequest& request : requests) {
        const auto found = MatchShape(inventory, request, {}, options).match(inventory);
        const auto* R = std::get_if<ResourceSet>(&found);
        all.push_back(R ? resource_summary(*R) : "-");
        if (R) {
            EXPECT_TRUE(inventory.allocate(*R));
        }
    }
    return all;
}

TEST(Matcher, PlacesAsRecordedOnTheReference) {  // conformance resource/place-*.case
    using Strings = std::vector<std::string>;
    EXPECT_EQ(placed_in_turn(all_up(cluster(4, 8)),
                             {nodes(2, 4), nodes(3, 6), nodes(2, 6), slots(5)}),
              (Strings{"rank[0-1]/core[0-1]", "rank[0-1]/core[2-3] rank2/core[0-1]",
                       "rank[0-1]/core[4-6]", "rank[0-1]/core7 rank2/core[2-4]"}));
    EXPECT_EQ(placed_in_turn(all_up(cluster(4, 8, 2)), {slots(1), nodes(1, 2), slots(9)},
                             {NodeOrder::lowest_first, true}),
              (Strings{"rank0/core[0-7],gpu[0-1]", "rank1/core[0-7],gpu[0-1]",
                       "rank[2-3]/core[0-7],gpu[0-1]"}));
    EXPECT_EQ(placed(all_up(cluster(4, 8)), slots(20)), "rank[0-1]/core[0-7] rank2/core[0-3]");
}

TEST(Matcher, StartsAtTheOtherEndWhenAsked) {
    const MatchOptions high{NodeOrder::highest_first, false};
    EXPECT_EQ(placed(all_up(cluster(4, 8)), slots(3), high), "rank3/core[5-7]");
    EXPECT_EQ(placed(all_up(cluster(4, 8)), nodes(2, 2), high), "rank[2-3]/core7");
    EXPECT_EQ(placed(all_up(cluster(1, 80)), slots(20), high), "rank0/core[60-79]");
}

TEST(Matcher, GivesExclusiveNodesWholly) {
    Inventory inventory = all_up(cluster(3, 4, 1));
    ASSERT_TRUE(inventory.allocate(piece(0, Idset{2})));
    EXPECT_EQ(placed(inventory, whole_nodes(2)), "rank[1-2]/core[0-3],gpu0");
    EXPECT_EQ(placed(inventory, whole_nodes(3)), "3 nodes wholly free wanted, 2 now");
}

TEST(Matcher, GivesOnlyAsManySlotsToANodeAsItsGpusAllow) {
    EXPECT_EQ(placed(all_up(cluster(2, 8, 2)), slots(3, 1, 1)),
              "rank0/core[0-1],gpu[0-1] rank1/core0,gpu0");
    EXPECT_EQ(placed(all_up(cluster(2, 8, 2)), slots(5, 1, 1)),
              "5 slots of 1 core and 1 gpu wanted, room for 4 now");
}

TEST(Matcher, SaysWhatIsMissingNow) {
    Inventory inventory = all_up(cluster(4, 8));
    ASSERT_TRUE(inventory.allocate(piece(1, Idset{0})));
    inventory.set_up(Idset{3}, false);
    EXPECT_EQ(placed(inventory, nodes(3, 3, 8)),
              "3 nodes with 8 free cores wanted, 2 now (1 node down)");
    EXPECT_EQ(placed(inventory, slots(24)),
              "24 slots of 1 core wanted, room for 23 now (1 node down)");
}

TEST(Matcher, RefusesForEverWithTheNumbers) {  // conformance resource/unsatisfiable.case
    const Inventory inventory(cluster(4, 8));  // down or not does not matter
    const struct {
        ResourceRequest request;
        std::string note;
    } table[] = {
        {nodes(5, 5), "unsatisfiable request: 5 nodes wanted, 4 here"},
        {slots(33), "unsatisfiable request: 33 slots of 1 core wanted, room for 32 here"},
        {nodes(1, 9),
         "unsatisfiable request: 9 cores on one node wanted, the most here is 8 cores and 0 gpus"},
        {slots(1, 9),
         "unsatisfiable request: 9 cores on one node wanted, the most here is 8 cores and 0 gpus"},
        {slots(1, 1, 1), "unsatisfiable request: 1 core and 1 gpu on one node wanted, the most "
                         "here is 8 cores and 0 gpus"},
        {nodes(4, 4, 9),
         "unsatisfiable request: 9 cores on one node wanted, the most here is 8 cores and 0 gpus"},
    };
    for (const auto& row : table) {
        const auto feasible = MatchShape(inventory, row.request, {}, {}).feasible(inventory);
        ASSERT_FALSE(feasible) << row.note;
        EXPECT_EQ(feasible.error().text(), row.note);
        EXPECT_EQ(feasible.error().errnum(), EINVAL);
    }
    EXPECT_TRUE(MatchShape(inventory, nodes(4, 32), {}, {}).feasible(inventory));
    EXPECT_TRUE(MatchShape(inventory, slots(32), {}, {}).feasible(inventory));
}

TEST(Matcher, HonoursConstraints) {
    ResourceSet R = cluster(3, 4);
    R.properties["fast"] = Idset{1, 2};
    const Inventory inventory = all_up(R);
    const Constraint fast = test::constraint(R"({"properties":["fast"]})");
    EXPECT_EQ(placed(inventory, nodes(2, 2), {}, fast), "rank[1-2]/core0");
    const auto three = MatchShape(inventory, nodes(3, 3), fast, {}).feasible(inventory);
    ASSERT_FALSE(three);
    EXPECT_EQ(three.error().text(),
              "unsatisfiable request: 3 nodes wanted, 2 matching the constraint");
    const Constraint none = test::constraint(R"({"properties":["nosuch"]})");
    const auto nowhere = MatchShape(inventory, slots(1), none, {}).feasible(inventory);
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().text(), "unsatisfiable request: no node matches the constraint");
}

/// Four NUMA nodes of eight cores and two GPUs.
LocalityMap four_numa() {
    Locality locality;
    for (std::uint32_t i = 0; i < 4; ++i)
        locality.push_back({LocalityDomain::Kind::numa, Idset::range(8 * i, 8 * i + 7),
                            Idset::range(2 * i, 2 * i + 1)});
    return {{0, locality}};
}

TEST(Matcher, KeepsCoresAndGpusOfASlotTogether) {
    const LocalityMap locality = four_numa();
    Inventory inventory = all_up(cluster(1, 32, 8), locality);
    ASSERT_TRUE(inventory.allocate(piece(0, Idset{0}, {})));
    EXPECT_EQ(placed(inventory, slots(1, 8, 2)), "rank0/core[8-15],gpu[2-3]");
    EXPECT_EQ(placed(inventory, slots(3, 8, 2)), "rank0/core[8-31],gpu[2-7]");
    EXPECT_EQ(placed(inventory, slots(1, 4, 1)), "rank0/core[1-4],gpu0");
    EXPECT_EQ(placed(inventory, slots(1, 9, 0)), "rank0/core[1-9]");  // no domain is large enough
    const MatchOptions high{NodeOrder::highest_first, false};
    EXPECT_EQ(placed(inventory, slots(1, 2, 1), high), "rank0/core[30-31],gpu7");
}

TEST(Matcher, FindsWhatLookingAtEveryNodeFinds) {  // seeded: the tree and the bitmap skip nothing
    std::mt19937 random{7};
    const auto pick = [&](std::uint32_t first, std::uint32_t last) {
        return std::uniform_int_distribution<std::uint32_t>(first, last)(random);
    };
    for (int round = 0; round < 3000; ++round) {
        const std::uint32_t count = pick(1, 150), cores = pick(1, 6);
        ResourceSet R = cluster(count, cores, 1);
        for (std::uint32_t rank = 0; rank < count; ++rank)
            if (pick(0, 2) == 0) R.properties["some"].insert(rank);
        Inventory inventory(R);
        for (std::uint32_t rank = 0; rank < count; ++rank)
            if (pick(0, 9)) inventory.set_up(Idset{rank}, true);
        const Inventory idle = inventory;
        ResourceSet used;
        for (std::uint32_t rank = 0; rank < count; ++rank)
            if (const std::uint32_t n = pick(0, cores)) used.add({rank, "n" + std::to_string(rank),
                                                                  Idset::range(0, n - 1), {}});
        ASSERT_TRUE(inventory.allocate(used));
        const std::string json =
            pick(0, 1) ? R"({"properties":["some"]})"
                       : fmt::format(R"({{"and":[{{"hostlist":["n[{}-{}]"]}},{{"properties":)"
                                     R"(["^some"]}}]}})", count / 3, count / 2);
        const Constraint only = test::constraint(json);
        const ResourceRequest request = nodes(1, 1, pick(1, cores));
        const NodeOrder order = pick(0, 1) ? NodeOrder::lowest_first : NodeOrder::highest_first;
        std::optional<std::uint32_t> expected;
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            const bool fits = inventory.up(rank) && inventory.matches(rank, only) &&
                              bit_count(inventory.free_cores(rank)) >= request.cores_per_slot;
            if (fits && (!expected || order == NodeOrder::highest_first)) expected = rank;
        }
        const auto found = MatchShape(inventory, request, only, {order, false}).match(inventory);
        const auto* got = std::get_if<ResourceSet>(&found);
        ASSERT_EQ(got != nullptr, expected.has_value()) << "round " << round << " " << json;
        if (got) {
            ASSERT_EQ(got->nodes().front().rank, *expected) << "round " << round << " " << json;
            ASSERT_TRUE(inventory.allocate(*got));
            inventory.free(*got);
        }
        inventory.free(used);
        ASSERT_EQ(inventory.free_count(), idle.free_count());
        ASSERT_TRUE(inventory.allocated().empty());
    }
}

}  // namespace
}  // namespace sluice
