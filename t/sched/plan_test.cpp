#include "sched/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::slots;
using test::whole_nodes;

/// The plan said once more as intervals of each core, to search without cleverness.
class CorePlan {
  public:
    CorePlan(std::uint32_t nodes, std::uint32_t cores) : cores_(cores), busy_(nodes * cores) {}
    void add(const ResourceSet& R, double from, double to) {
        for (const auto& node : R.nodes())
            for (const Idset::Id core : node.cores)
                busy_[node.rank * cores_ + core].push_back({from, to});
    }
    bool free(std::uint32_t rank, Idset::Id core, double from, double to) const {
        return std::ranges::none_of(busy_[rank * cores_ + core], [&](const auto& it) {
            return it.first < to && it.second > from;
        });
    }
    bool fits(const ResourceRequest& request, double from, double to) const {
        std::uint32_t found = 0;
        for (std::uint32_t rank = 0; rank < busy_.size() / cores_; ++rank) {
            std::uint32_t free_cores = 0;
            for (Idset::Id core = 0; core < cores_; ++core)
                free_cores += free(rank, core, from, to);
            if (request.exclusive) found += free_cores == cores_;
            else if (request.nodes) found += free_cores >= request.slots_per_node();
            else found += free_cores / request.cores_per_slot;
        }
        return found >= (request.nodes ? request.nodes : request.slots);
    }
    /// From now, 0, on.
    double earliest(const ResourceRequest& request, double duration) const {
        if (fits(request, 0, duration)) return 0;
        double best = never;
        for (const auto& intervals : busy_)
            for (const auto& [from, to] : intervals)
                if (to < best && fits(request, to, to + duration)) best = to;
        return best;
    }

  private:
    std::uint32_t cores_;
    std::vector<std::vector<std::pair<double, double>>> busy_;
};

/// Random plans: what runs, what is reserved, and what ends early or is given up in between.
class PlanRun {
  public:
    explicit PlanRun(unsigned seed)
        : random_(seed), node_count_(pick(2, 9)), all_(cluster(node_count_, cores)) {
        plan_.define(all_, {}, all_.ranks());
    }
    void play() {
        for (unsigned jobs = pick(1, node_count_); jobs; --jobs) start();
        for (unsigned steps = pick(1, 14); steps; --steps) {
            if (pick(0, 4) == 0) give_back();
            else reserve();
            if (!testing::Test::HasFatalFailure()) check_what_is_ruled_out();
            if (testing::Test::HasFatalFailure()) return;
        }
    }

  private:
    static constexpr std::uint32_t cores = 3;
    unsigned pick(unsigned low, unsigned high) {
        return low + static_cast<unsigned>(random_() % (high - low + 1));
    }
    ResourceRequest request() {
        const unsigned nodes = pick(1, node_count_);
        if (pick(0, 1)) return whole_nodes(nodes);
        if (pick(0, 1)) return test::nodes(nodes, nodes * pick(1, cores));
        return slots(pick(1, node_count_ * 2), pick(1, cores - 1));
    }
    CorePlan as_intervals(JobId without = JobId{0}) const {
        CorePlan check(node_count_, cores);
        for (const auto& [id, slot] : slots_)
            if (id != without) check.add(slot.R, slot.start, slot.end);
        return check;
    }
    /// Where the plan says that a reservation cannot move to an earlier time, it really cannot.
    void check_what_is_ruled_out() {
        for (const JobId id : plan_.reservation_holders()) {
            const auto& [wanted, duration] = wanted_.at(id);
            const MatchShape shape(plan_.inventory(), wanted, {}, {});
            const Slot& slot = *plan_.reservation(id);
            if (slot.start <= 0 || plan_.may_improve(id, {shape, duration}, 0)) continue;
            ASSERT_GE(as_intervals(id).earliest(wanted, duration), slot.start);
        }
    }
    void start() {
        const ResourceRequest wanted = request();
        const MatchShape shape(plan_.inventory(), wanted, {}, {});
        auto R = plan_.fit_now({shape}, 0);
        if (!R) return;
        const double end = pick(1, 12);
        slots_[JobId{++id_}] = {0, end, *R};
        running_.push_back(JobId{id_});
        ASSERT_TRUE(plan_.run(JobId{id_}, *R, end));
    }
    void reserve() {
        const ResourceRequest wanted = request();
        const double duration = pick(0, 9) ? pick(1, 12) : never;
        const MatchShape shape(plan_.inventory(), wanted, {}, {});
        const CorePlan check = as_intervals();
        const double expected = check.earliest(wanted, duration);
        auto slot = plan_.earliest({shape, duration}, 0);
        const Shortage shortage = plan_.shortage();
        ASSERT_EQ(slot ? slot->start : never, expected);
        ASSERT_EQ(plan_.fit_now({shape, duration}, 0).has_value(),
                  check.fits(wanted, 0, duration));
        if (!slot) return;
        for (const auto& node : slot->R.nodes())
            for (const Idset::Id core : node.cores)
                ASSERT_TRUE(check.free(node.rank, core, slot->start, slot->end));
        slots_[JobId{++id_}] = *slot;
        wanted_[JobId{id_}] = {wanted, duration};
        plan_.reserve(JobId{id_}, std::move(*slot), shortage);
    }
    void give_back() {
        if (pick(0, 1) && !running_.empty()) {
            plan_.finish(running_.back());
            slots_.erase(running_.back());
            running_.pop_back();
        } else if (const auto holders = plan_.reservation_holders(); !holders.empty()) {
            const JobId holder = holders[pick(0, unsigned(holders.size()) - 1)];
            ASSERT_TRUE(plan_.take_reservation(holder));
            slots_.erase(holder);
        }
    }

    std::mt19937 random_;
    std::uint32_t node_count_;
    ResourceSet all_;
    Plan plan_;
    std::uint64_t id_ = 0;
    std::map<JobId, Slot> slots_;
    std::map<JobId, std::pair<ResourceRequest, double>> wanted_;
    std::vector<JobId> running_;
};

TEST(Plan, FindsTheEarliestStartThatAnExhaustiveSearchFinds) {
    for (unsigned seed = 1; seed <= 6000 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        PlanRun(seed).play();
    }
}

TEST(Timetable, NodesThatAreUsedAlikeShareARow) {
    const ResourceSet all = cluster(64, 4);
    Inventory inventory(all);
    inventory.set_up(all.ranks(), true);
    Timetable table;
    table.reset(inventory);
    EXPECT_EQ(table.row_count(), 1u);
    const ResourceSet low = all.only_ranks(Idset::range(0, 31));
    const ResourceSet part = test::piece(5, Idset{0, 1});
    table.add(JobId{1}, low, Timetable::running, 10);
    table.add(JobId{2}, all, 10, 20);
    EXPECT_EQ(table.row_count(), 2u);
    table.add(JobId{3}, part, 20, 30);
    EXPECT_EQ(table.row_count(), 3u);
    table.set_up(7, false);
    EXPECT_EQ(table.row_count(), 4u);
    table.remove(JobId{1}, low);
    EXPECT_EQ(table.row_count(), 3u);
    table.set_up(7, true);
    table.remove(JobId{3}, part);
    table.remove(JobId{2}, all);
    EXPECT_EQ(table.row_count(), 1u);
}

}  // namespace
}  // namespace sluice
