// Easy, conservative and hybrid backfilling: who may go first, and what is promised to whom.
#include <gtest/gtest.h>

#include "sched/summary.hpp"
#include "t/sched/sched_fixture.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::nodes;
using test::slots;
using test::Strings;
using test::whole_nodes;
using Fixture = test::SchedFixture;

SchedConfig with(QueuePolicy policy, std::uint32_t reservations = 64) {
    SchedConfig config;
    config.defaults.policy = policy;
    config.defaults.reservation_depth = reservations;
    return config;
}
SchedConfig easy() { return with(QueuePolicy::easy); }

TEST(EasyBackfill, NeverDelaysTheReservedHeadJob) {  // conformance control/policy-easy.case
    Fixture sched(cluster(4, 8), easy());
    sched.submit(1, whole_nodes(3), {.duration = 60});
    sched.submit(2, whole_nodes(4), {.duration = 60});
    sched.submit(3, whole_nodes(1), {.duration = 1800});  // would push the head back
    sched.submit(4, whole_nodes(1), {.duration = 60});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 4"}));
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1060.0}})");
}

TEST(EasyBackfill, UsesNodesThatTheReservationLeavesOver) {
    Fixture sched(cluster(4, 1), easy());
    sched.submit(1, whole_nodes(2), {.duration = 60});
    sched.submit(2, whole_nodes(3), {.duration = 60});   // ranks 0-2 from 1060 on
    sched.submit(3, whole_nodes(1), {.duration = 9999});  // rank 3 is left over
    sched.submit(4, whole_nodes(1), {.duration = 9999});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 3"}));
    EXPECT_EQ(resource_summary(sched.held.at(JobId{3})), "rank3/core0");
    sched.now = 1060;
    sched.finish(1);
    EXPECT_EQ(sched.pass(), Strings{"start 2"});
}

TEST(EasyBackfill, GoesOnWhenNoEndIsKnown) {
    Fixture sched(cluster(2, 1), easy());
    sched.submit(1, whole_nodes(1));  // without time limit
    sched.submit(2, whole_nodes(2), {.duration = 60});
    sched.submit(3, whole_nodes(1), {.duration = 60});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 3"}));
}

TEST(EasyBackfill, CountsOverdueJobsAsEndingNow) {
    Fixture sched(cluster(2, 1), easy());
    sched.submit(1, whole_nodes(1), {.duration = 60});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.now = 2000;
    sched.submit(2, whole_nodes(2), {.duration = 60});
    sched.submit(3, whole_nodes(1), {.duration = 60});
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_NE(sched.annotation(2).find("2000.0"), std::string::npos);
}

/// The eleven jobs of the reference's t1003, on one node of 16 cores: cores and minutes.
void submit_t1003(Fixture& sched) {
    const struct {
        std::uint32_t cores;
        double minutes;
    } jobs[] = {{8, 60}, {10, 60}, {12, 60}, {14, 60}, {16, 60}, {6, 121},
                {4, 179}, {4, 239}, {2, 239}, {2, 299}, {2, 59}};
    std::uint64_t id = 0;
    for (const auto& [cores, minutes] : jobs)
        sched.submit(++id, slots(cores), {.duration = minutes * 60});
}

TEST(EasyBackfill, StartsWhatTheReferenceStarts) {
    Fixture sched(cluster(1, 16), easy());
    submit_t1003(sched);
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 6", "start 11"}));
    sched.finish(6);
    EXPECT_EQ(sched.pass(), (Strings{"start 7", "start 9"}));
}

TEST(HybridBackfill, StartsWhatTheReferenceStarts) {
    Fixture sched(cluster(1, 16), with(QueuePolicy::hybrid, 3));
    submit_t1003(sched);
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 7", "start 11"}));
    sched.finish(7);
    EXPECT_EQ(sched.pass(), Strings{"start 9"});
}

TEST(ConservativeBackfill, StartsWhatTheReferenceStarts) {
    Fixture sched(cluster(1, 16), with(QueuePolicy::conservative));
    std::uint64_t id = 0;  // as t1003, with 16 before 14
    for (const auto& [cores, minutes] :
         std::vector<std::pair<std::uint32_t, double>>{{8, 60}, {10, 60}, {12, 60}, {16, 60},
                                                       {14, 60}, {6, 121}, {4, 179}, {4, 239},
                                                       {2, 239}, {2, 299}, {2, 59}})
        sched.submit(++id, slots(cores), {.duration = minutes * 60});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 7", "start 11"}));
    sched.finish(7);
    EXPECT_EQ(sched.pass(), Strings{});
}

TEST(ConservativeBackfill, TellsEachJobItsStart) {
    Fixture sched(cluster(1, 16), with(QueuePolicy::conservative));
    sched.submit(1, slots(8), {.duration = 360});
    for (std::uint64_t id : {2, 3, 4}) sched.submit(id, slots(16), {.duration = 360});
    sched.submit(5, slots(2), {.duration = 180});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 5"}));
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1360.0}})");
    EXPECT_EQ(sched.annotation(3), R"({"sched":{"t_estimate":1720.0}})");
    EXPECT_EQ(sched.annotation(4), R"({"sched":{"t_estimate":2080.0}})");
}

TEST(HybridBackfill, TellsAsManyAsItReserves) {
    Fixture sched(cluster(1, 16), with(QueuePolicy::hybrid, 2));
    sched.submit(1, slots(8), {.duration = 360});
    for (std::uint64_t id : {2, 3, 4}) sched.submit(id, slots(16), {.duration = 360});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    EXPECT_EQ(sched.annotation(3), R"({"sched":{"t_estimate":1720.0}})");
    EXPECT_EQ(sched.annotation(4).find("t_estimate"), std::string::npos);
}

TEST(Backfill, MakesPlansAnewWhenARunningJobGetsMoreTime) {
    Fixture sched(cluster(2, 1), easy());
    sched.submit(1, whole_nodes(1), {.duration = 100});
    sched.submit(2, whole_nodes(2), {.duration = 60});
    sched.submit(3, whole_nodes(1), {.duration = 150});  // past the end of 1
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1100.0}})");
    sched.core.set_expiration(JobId{1}, 1200);
    EXPECT_EQ(sched.pass(), Strings{"start 3"});
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1200.0}})");
}

TEST(Backfill, GivesUpAnEstimateThatNobodyCanKeep) {
    Fixture sched(cluster(2, 1), easy());
    sched.submit(1, whole_nodes(1), {.duration = 100});
    sched.submit(2, whole_nodes(2), {.duration = 60});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.core.set_expiration(JobId{1}, 0);  // without end
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":null}})");
}

TEST(Backfill, MakesRoomForAJobThatComesFirst) {
    Fixture sched(cluster(2, 1), with(QueuePolicy::conservative));
    sched.submit(1, whole_nodes(2), {.duration = 100});
    sched.submit(2, whole_nodes(2), {.duration = 100});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1100.0}})");
    sched.submit(3, whole_nodes(2), {.priority = 31, .duration = 100});  // expedited
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_EQ(sched.annotation(3), R"({"sched":{"t_estimate":1100.0}})");
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":1200.0}})");
}

TEST(Backfill, GivesAHeldJobNoReservation) {
    Fixture sched(cluster(1, 1), easy());
    sched.submit(1, slots(1), {.duration = 100});
    sched.submit(2, slots(1), {.duration = 100});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.core.prioritize({{JobId{2}, 0}});
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_EQ(sched.core.plan().reservation_count(), 0u);
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"t_estimate":null}})");
}

TEST(Backfill, RespectsReservationsOfOtherQueues) {
    SchedConfig config;
    config.queues["a"].policy = QueuePolicy::easy;
    Fixture sched(cluster(2, 1), config);
    sched.submit(1, whole_nodes(1), {.duration = 100, .queue = "a"});
    sched.submit(2, whole_nodes(2), {.duration = 100, .queue = "a"});
    sched.submit(3, whole_nodes(1), {.duration = 500, .queue = "b"});  // fcfs, comes later
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    EXPECT_NE(sched.annotation(3).find("would delay"), std::string::npos);
}

TEST(Backfill, PassesByAJobWhoseNodesAreDown) {
    Fixture sched(cluster(2, 1), easy());
    sched.core.set_up(Idset{1}, false);
    sched.submit(1, whole_nodes(2), {.duration = 100});
    sched.submit(2, whole_nodes(1), {.duration = 100});
    sched.submit(3, whole_nodes(1), {.duration = 100});  // gets the reservation
    EXPECT_EQ(sched.pass(), Strings{"start 2"});
    EXPECT_EQ(sched.annotation(3), R"({"sched":{"t_estimate":1100.0}})");
}

TEST(Backfill, LooksNoFurtherThanItsDepthButSkipsKnownShapes) {
    SchedConfig config = easy();
    config.defaults.queue_depth = 4;
    Fixture sched(cluster(4, 8), config);
    sched.submit(1, nodes(3, 3, 8), {.duration = 100});
    for (std::uint64_t id = 2; id < 200; ++id) sched.submit(id, slots(9), {.duration = 100});
    sched.submit(200, slots(8), {.duration = 50});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 200"}));
}

TEST(Backfill, TellsAllWhoWaitInAQuietMoment) {
    Fixture sched(cluster(1, 1), easy());
    for (std::uint64_t id = 1; id < 1000; ++id) sched.submit(id, slots(1));
    sched.pass();
    std::size_t told = 0;
    while (sched.core.has_idle_work()) told += sched.core.idle().size();
    EXPECT_EQ(told, 999u - 1 - 16);
}

}  // namespace
}  // namespace sluice
