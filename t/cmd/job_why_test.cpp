#include "cmd/format/job_why.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cmd/format/job_reason.hpp"

namespace sluice {
namespace {

JobWait waiting(std::string_view json) {
    ::setenv("TZ", "UTC", 1);
    JobWait wait;
    wait.shown_id = "f1";
    wait.job.json = *parse_json_object(json);
    wait.job.now = 1578403860;  // 2020-01-07 13:31:00 UTC
    return wait;
}

TEST(JobWhy, NamesEachDependencyAndWhenABeginTimeComes) {
    EXPECT_EQ(why_sentence(waiting(
                  R"({"state":2,"dependencies":["begin-time=1578405600.0"]})")),
              "f1 waits for its begin time 2020-01-07 14:00:00 (in 29m); nothing is to be done");
    EXPECT_EQ(why_sentence(waiting(
                  R"({"state":2,"dependencies":["after-success=f2","after-finish=f3","x"]})")),
              "f1 waits for f2 to complete, for f3 to end and for the dependency x to be met; it "
              "is canceled when that can no longer happen");
}

TEST(JobWhy, TellsHoldsAndHowToReleaseThem) {
    EXPECT_EQ(why_sentence(waiting(R"({"state":8,"urgency":0,"priority":0})")),
              "f1 is held: its urgency is 0; flux job urgency f1 default releases it");
    EXPECT_EQ(why_sentence(waiting(R"({"state":8,"urgency":16,"priority":0})")),
              "f1 is held: its priority is 0; the plugin that gives priorities must raise it");
    EXPECT_EQ(why_sentence(waiting(R"({"state":4})")),
              "f1 waits for a priority, which the plugin that gives priorities must set");
}

TEST(JobWhy, AStoppedQueueComesBeforeItsRank) {
    JobWait wait = waiting(R"({"state":8,"urgency":16,"priority":16,"queue":"batch"})");
    wait.queue_started = false;
    wait.stop_reason = "upgrade";
    wait.ahead = 3;
    EXPECT_EQ(why_sentence(wait),
              "f1 waits because queue batch is stopped: upgrade; flux queue start batch lets it go "
              "on");
    wait.job.json.erase("queue");
    wait.stop_reason.clear();
    EXPECT_EQ(why_sentence(wait),
              "f1 waits because the queue is stopped; flux queue start lets it go on");
}

TEST(JobWhy, TellsRankAndEstimate) {
    JobWait wait = waiting(R"({"state":8,"urgency":16,"priority":16,"queue":"batch",
        "annotations":{"sched":{"t_estimate":1578404460.0}}})");
    wait.ahead = 2;
    EXPECT_EQ(why_sentence(wait),
              "f1 is number 3 in queue batch; it should start at 2020-01-07 13:41:00 (in 10m); a "
              "higher urgency (flux job urgency f1 N) would move it up");
    wait.ahead = 0;
    EXPECT_EQ(why_sentence(wait),
              "f1 is first in queue batch and waits for resources; it should start at 2020-01-07 "
              "13:41:00 (in 10m); they come free when running jobs end");
}

TEST(JobWhy, TellsWhatTheSchedulerMisses) {
    const JobWait wait = waiting(R"({"state":8,"urgency":16,"priority":16,
        "annotations":{"sched":{"reason_pending":"resources: 4 cores wanted, 2 now"}}})");
    EXPECT_EQ(why_sentence(wait),
              "f1 is first in the queue and waits for resources: 4 cores wanted, 2 now; they come "
              "free when running jobs end");
    EXPECT_EQ(why_short(wait.job), "resources");
}

TEST(JobWhy, NamesHostsOfTheConstraintThatAreDownOrDrained) {
    JobWait wait = waiting(R"({"state":8,"urgency":16,"priority":16})");
    wait.constrained = true;
    wait.nodes = {.fitting = 4,
                  .down = *Hostlist::parse("n1"),
                  .drained = {{"bad disk", *Hostlist::parse("n[2-3]")}}};
    EXPECT_EQ(why_sentence(wait),
              "f1 waits for nodes: of the 4 that fit its constraint and queue, n1 is down and "
              "n[2-3] are drained (bad disk); flux resource undrain n[2-3] and starting brokers on "
              "n1 would help");
    wait.nodes.down = {};
    wait.nodes.drained.front() = {"", *Hostlist::parse("n2")};
    EXPECT_EQ(why_sentence(wait),
              "f1 waits for nodes: of the 4 that fit its constraint and queue, n2 is drained; flux "
              "resource undrain n2 would help");
}

TEST(JobWhy, JobsThatDoNotWaitSaySo) {
    EXPECT_EQ(why_sentence(waiting(R"({"state":16,"nodelist":"n[0-1]"})")),
              "f1 does not wait: it runs on n[0-1]");
    EXPECT_EQ(why_sentence(waiting(R"({"state":64,"result":2,"waitstatus":256})")),
              "f1 does not wait: it has ended (FAILED, Exit 1)");
    EXPECT_EQ(why_sentence(waiting(R"({"state":64,"result":1,"waitstatus":0})")),
              "f1 does not wait: it has ended (COMPLETED, Exit 0)");
}

TEST(JobWhy, TheShortFormTellsOfStoppedQueues) {
    JobRow row = waiting(R"({"state":8,"urgency":16,"priority":16})").job;
    EXPECT_EQ(contextual_info(row), "");
    row.queue_stopped = true;
    EXPECT_EQ(contextual_info(row), "");
    row.tells_why = true;
    EXPECT_EQ(contextual_info(row), "queue-stopped");
}

}  // namespace
}  // namespace sluice
