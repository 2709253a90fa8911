#include "sched/plan.hpp"

#include <gtest/gtest.h>

#include <random>

#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::slots;
using test::whole_nodes;

TEST(SupplyProfile, FindsTheFirstTimeThatLastsLongEnough) {
    SupplyProfile profile;
    const SupplyProfile::Change changes[] = {{10, {1, 4, 0}}, {20, {1, 4, 0}}};
    profile.build(0, {1, 4, 0}, changes);
    profile.add(12, 15, {-1, -4, 0});
    EXPECT_EQ(profile.first_fit({1, 0, 0}, 12, 0), 0);
    EXPECT_EQ(profile.first_fit({2, 0, 0}, 2, 0), 10);
    EXPECT_EQ(profile.first_fit({2, 0, 0}, 3, 0), 15);
    EXPECT_EQ(profile.first_fit({0, 12, 0}, never, 0), 20);
    EXPECT_EQ(profile.first_fit({0, 13, 0}, 1, 0), std::nullopt);
    EXPECT_EQ(profile.first_fit({2, 0, 0}, 3, 0, 15), std::nullopt);
    EXPECT_EQ(profile.first_fit({1, 0, 0}, 3, 13.5), 13.5);
    EXPECT_EQ(profile.changes_between(10, 20), (std::vector<double>{12, 15}));
}

/// A plan of whole nodes, said once more as intervals, to search without cleverness.
class NodePlan {
  public:
    explicit NodePlan(std::uint32_t nodes) : busy_(nodes) {}
    void add(const ResourceSet& R, double from, double to) {
        for (const auto& node : R.nodes()) busy_[node.rank].push_back({from, to});
    }
    bool free(std::uint32_t rank, double from, double to) const {
        return std::ranges::none_of(
            busy_[rank], [&](const auto& it) { return it.first < to && it.second > from; });
    }
    bool fits(std::uint32_t wanted, double from, double to) const {
        std::uint32_t count = 0;
        for (std::uint32_t rank = 0; rank < busy_.size(); ++rank) count += free(rank, from, to);
        return count >= wanted;
    }
    /// After now 0.
    double earliest(std::uint32_t wanted, double duration) const {
        double best = never;
        for (const auto& intervals : busy_)
            for (const auto& [from, to] : intervals)
                if (to < best && fits(wanted, to, to + duration)) best = to;
        return best;
    }

  private:
    std::vector<std::vector<std::pair<double, double>>> busy_;
};

TEST(Plan, FindsTheEarliestStartThatAnExhaustiveSearchFinds) {
    for (unsigned seed = 1; seed <= 3000; ++seed) {
        std::mt19937 random(seed);
        const auto pick = [&](unsigned low, unsigned high) {
            return low + static_cast<unsigned>(random() % (high - low + 1));
        };
        const std::uint32_t node_count = pick(2, 9);
        const ResourceSet all = cluster(node_count, 2);
        Plan plan;
        plan.define(all, {}, all.ranks());
        NodePlan check(node_count);
        std::uint64_t id = 0;
        for (unsigned jobs = pick(1, node_count); jobs; --jobs) {
            const MatchShape shape(plan.inventory(), whole_nodes(pick(1, node_count)), {}, {});
            auto R = plan.fit_now({shape, {}}, 0);
            if (!R) break;
            const double end = pick(1, 12);
            check.add(*R, 0, end);
            ASSERT_TRUE(plan.run(JobId{++id}, *R, end));
        }
        for (unsigned jobs = pick(1, 10); jobs; --jobs) {
            const std::uint32_t wanted = pick(1, node_count);
            const double duration = pick(0, 9) ? pick(1, 12) : never;
            const MatchShape shape(plan.inventory(), whole_nodes(wanted), {}, {});
            const Demand demand{shape, least_of(whole_nodes(wanted), true), duration};
            const double expected = check.earliest(wanted, duration);
            auto slot = plan.earliest(demand, 0);
            ASSERT_EQ(slot ? slot->start : never, expected) << "seed " << seed;
            if (!slot) continue;
            for (const auto& node : slot->R.nodes())
                ASSERT_TRUE(check.free(node.rank, slot->start, slot->end)) << "seed " << seed;
            check.add(slot->R, slot->start, slot->end);
            plan.reserve(JobId{++id}, std::move(*slot));
        }
    }
}

}  // namespace
}  // namespace sluice
