#include "sched/sched_core.hpp"

#include <gtest/gtest.h>

#include "sched/constraint_hosts.hpp"
#include "sched/summary.hpp"
#include "t/resource/builders.hpp"
#include "t/sched/sched_fixture.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::nodes;
using test::slots;
using test::whole_nodes;
using test::Strings;
using Fixture = test::SchedFixture;

TEST(SchedCore, StartsInOrderOfPriorityThenSubmission) {
    Fixture sched(cluster(1, 1));
    sched.submit(1, slots(1), {.priority = 16});
    sched.submit(2, slots(1), {.priority = 20});
    sched.submit(3, slots(1), {.priority = 16});
    sched.submit(4, slots(1), {.priority = 31});
    Strings order;
    for (std::uint64_t id : {4, 2, 1, 3}) {
        EXPECT_EQ(sched.pass(), Strings{fmt::format("start {}", id)});
        EXPECT_EQ(sched.pass(), Strings{});
        sched.finish(id);
    }
    EXPECT_EQ(sched.core.pending_count(), 0u);
    EXPECT_EQ(sched.core.running_count(), 0u);
}

TEST(SchedCore, FillsStartAndExpirationAndSummary) {
    Fixture sched(cluster(2, 4));
    sched.core.set_instance_expiration(5000);
    sched.submit(1, nodes(2, 2), {.duration = 60});
    sched.submit(2, slots(1));
    sched.submit(3, slots(1), {.duration = 9000});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 2", "start 3"}));
    EXPECT_EQ(sched.held.at(JobId{1}).starttime, 1000);
    EXPECT_EQ(sched.held.at(JobId{1}).expiration, 1060);
    EXPECT_EQ(sched.held.at(JobId{2}).expiration, 5000);
    EXPECT_EQ(sched.held.at(JobId{3}).expiration, 5000);
    const auto& alloc = std::get<Alloc>(sched.last[0]);
    EXPECT_EQ(dump_json(alloc.annotations),
              R"({"sched":{"resource_summary":"rank[0-1]/core0"}})");
}

TEST(Fcfs, LetsNobodyPassTheHead) {
    Fixture sched(cluster(4, 8));
    sched.submit(1, nodes(3, 24), {.duration = 60});
    sched.submit(2, nodes(4, 4), {.duration = 60});
    sched.submit(3, slots(1), {.duration = 30});
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    EXPECT_EQ(sched.annotation(2), R"({"sched":{"reason_pending":"resources: 4 nodes with 1 free )"
                                   R"(core wanted, 1 now"}})");
    EXPECT_EQ(sched.annotation(3),
              R"({"sched":{"reason_pending":"priority: other jobs come first"}})");
    sched.finish(1);
    EXPECT_EQ(sched.pass(), (Strings{"start 2", "start 3"}));
    const auto& alloc = std::get<Alloc>(sched.last[0]);
    EXPECT_TRUE(alloc.annotations.at("sched").at("reason_pending").is_null());
}

TEST(Fcfs, BlocksOnlyItsOwnQueue) {
    Fixture sched(cluster(2, 1));
    sched.submit(1, slots(1), {.queue = "a"});
    sched.submit(2, slots(2), {.queue = "a"});
    sched.submit(3, slots(1), {.queue = "a"});
    sched.submit(4, slots(1), {.queue = "b"});
    EXPECT_EQ(sched.pass(), (Strings{"start 1", "start 4"}));
}

TEST(SchedCore, DeniesWhatCanNeverRunAndGoesOn) {
    Fixture sched(cluster(4, 8));
    sched.submit(1, nodes(5, 5));
    sched.submit(2, slots(1), {.constraint = R"({"properties":["nosuch"]})"});
    sched.submit(3, slots(1));
    EXPECT_EQ(sched.pass(), (Strings{"deny 1", "deny 2", "start 3"}));
    EXPECT_EQ(std::get<Deny>(sched.last[0]).note,
              "unsatisfiable request: 5 nodes wanted, 4 here");
    EXPECT_EQ(sched.core.pending_count(), 0u);
}

TEST(SchedCore, WaitsForRanksThatAreDown) {
    Fixture sched(cluster(2, 1));
    sched.core.set_up(Idset{1}, false);
    sched.submit(1, nodes(2, 2));
    EXPECT_EQ(sched.pass(), Strings{});
    sched.core.set_up(Idset{1}, true);
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
}

TEST(SchedCore, StartsNothingBeforeResourcesAreDefined) {
    SchedCore core;
    core.hello({JobId{9}, test::piece(0, Idset{0})});
    AllocRequest request;
    request.id = JobId{1};
    request.priority = 16;
    request.request = slots(2);
    core.submit(request);
    EXPECT_TRUE(core.pass(1).empty());
    core.define({cluster(1, 2), {}, Idset{0}});
    auto decisions = core.pass(2);  // only the reason
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<Annotate>(decisions[0]));
    core.free(JobId{9}, test::piece(0, Idset{0}), true);
    decisions = core.pass(3);
    ASSERT_EQ(decisions.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<Alloc>(decisions[0]));
}

TEST(SchedCore, KeepsWhatJobsHoldWhenResourcesAreReplaced) {
    Fixture sched(cluster(1, 2));
    sched.submit(1, slots(1));
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.core.define({cluster(2, 2), {}, Idset{0, 1}});
    EXPECT_EQ(sched.core.status().allocated.core_count(), 1u);
    sched.submit(2, slots(3));
    sched.submit(3, slots(1));
    EXPECT_EQ(sched.pass(), Strings{"start 2"});
}

TEST(SchedCore, AnswersACancelOnce) {
    Fixture sched(cluster(1, 1));
    sched.submit(1, slots(1));
    sched.submit(2, slots(1));
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.core.cancel(JobId{1});  // runs: too late
    sched.core.cancel(JobId{2});
    sched.core.cancel(JobId{2});
    EXPECT_EQ(sched.pass(), Strings{"cancelled 2"});
}

TEST(SchedCore, FollowsNewPriorities) {
    Fixture sched(cluster(1, 1));
    sched.submit(1, slots(1));
    sched.submit(2, slots(1));
    sched.submit(3, slots(1));
    sched.core.prioritize({{JobId{3}, 30}, {JobId{1}, 0}});
    EXPECT_EQ(sched.pass(), Strings{"start 3"});
    sched.finish(3);
    EXPECT_EQ(sched.pass(), Strings{"start 2"});
    sched.finish(2);
    EXPECT_EQ(sched.pass(), Strings{});  // 1 is held
}

TEST(SchedCore, FreesInParts) {
    Fixture sched(cluster(2, 1));
    sched.submit(1, nodes(2, 2));
    sched.submit(2, slots(1));
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    sched.core.free(JobId{1}, test::piece(1, Idset{0}), false);
    EXPECT_EQ(sched.pass(), Strings{"start 2"});
    EXPECT_EQ(resource_summary(sched.held.at(JobId{2})), "rank1/core0");
    sched.core.free(JobId{1}, test::piece(1, Idset{0}), false);  // not the job's any more
    sched.submit(3, slots(1));
    EXPECT_EQ(sched.pass(), Strings{});
    sched.core.free(JobId{1}, test::piece(0, Idset{0}), true);
    EXPECT_EQ(sched.pass(), Strings{"start 3"});
}

TEST(SchedCore, MatchesOneOfAThousandAlike) {
    Fixture sched(cluster(4, 8));
    sched.submit(1, slots(32));
    EXPECT_EQ(sched.pass(), Strings{"start 1"});
    for (std::uint64_t id = 2; id < 1002; ++id) sched.submit(id, slots(4));
    const std::uint64_t before = sched.core.match_count();
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_EQ(sched.pass(), Strings{});
    EXPECT_LE(sched.core.match_count(), before + 1);
}

TEST(ConstraintHosts, NamesAHostThatTheInstanceDoesNotHave) {
    const ResourceSet R = cluster(3, 1);
    for (const char* good : {R"({"hostlist":["n[0-2]"]})", R"({"not":[{"hostlist":["n1"]}]})",
                             R"({"and":[{"properties":["x"]},{"ranks":["7"]}]})"})
        EXPECT_TRUE(check_constraint_hosts(*parse_json(good), R)) << good;
    const auto bad = check_constraint_hosts(
        *parse_json(R"({"and":[{"or":[{"hostlist":["n1","nosuch"]}]}]})"), R);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().text(),
              "host constraint contains invalid hosts: host 'nosuch' not found");
}

TEST(SchedConfig, ReadsPoliciesByTheirKnownNames) {
    const JsonObject config = *parse_json_object(R"({
        "queues":{"a":{},"b":{},"c":{}},
        "sched-fluxion-qmanager":{
            "queue-policy":"easy","queue-policy-per-queue":"a:fcfs b:hybrid",
            "queue-params":{"queue-depth":8,"foo":1234},
            "policy-params":"max-reservation-depth=128,reservation-depth=5",
            "queue-params-per-queue":"b:queue-depth=16,max-queue-depth=12",
            "policy-params-per-queue":"b:reservation-depth=7"},
        "sched-fluxion-resource":{"match-policy":"hinodex"}})");
    const auto read = SchedConfig::from_config(config);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->settings_for(""), (QueueSettings{.policy = QueuePolicy::easy,
                                                     .queue_depth = 8,
                                                     .reservation_depth = 5,
                                                     .max_reservation_depth = 128}));
    EXPECT_EQ(read->settings_for("c"), read->defaults);
    EXPECT_EQ(read->settings_for("a").policy, QueuePolicy::fcfs);
    EXPECT_EQ(read->settings_for("a").queue_depth, 8u);
    const QueueSettings& b = read->settings_for("b");
    EXPECT_EQ(b.policy, QueuePolicy::hybrid);
    EXPECT_EQ(b.depth(), 12u);
    EXPECT_EQ(b.reservations(), 7u);
    EXPECT_EQ(read->match, (MatchOptions{NodeOrder::highest_first, true, false}));
    EXPECT_TRUE(read->warnings.empty());
}

TEST(SchedConfig, NamesTheKeyOfABadValue) {
    const struct {
        const char* table;
        const char* error;
    } rows[] = {
        {R"({"queue-params":{"max-queue-depth":-1}})",
         "sched-fluxion-qmanager.queue-params.max-queue-depth: -1 is not a whole number between 1 "
         "and 1000000"},
        {R"({"queue-params":{"queue-depth":"foo"}})",
         "sched-fluxion-qmanager.queue-params.queue-depth: \"foo\" is not a whole number between 1 "
         "and 1000000"},
        {R"({"queue-params":7})", "sched-fluxion-qmanager.queue-params: want a table"},
        {R"({"queue-params":"queue-depth"})",
         "sched-fluxion-qmanager.queue-params: 'queue-depth' is not name=number"},
        {R"({"policy-params":{"reservation-depth":0}})",
         "sched-fluxion-qmanager.policy-params.reservation-depth: 0 is not a whole number between "
         "1 and 100000"},
        {R"({"policy-params":{"reservation-depth":1.5}})",
         "sched-fluxion-qmanager.policy-params.reservation-depth: 1.5 is not a whole number "
         "between 1 and 100000"},
        {R"({"queue-policy-per-queue":"a"})",
         "sched-fluxion-qmanager.queue-policy-per-queue: 'a' is not queue:value"},
        {R"({"queue-policy-per-queue":"a:easy nosuch:fcfs"})",
         "sched-fluxion-qmanager.queue-policy-per-queue: no queue 'nosuch' in [queues]"},
        {R"({"queue-params-per-queue":"a:queue-depth=99999999999999999999"})",
         "sched-fluxion-qmanager.queue-params-per-queue.queue-depth: \"99999999999999999999\" is "
         "not a whole number between 1 and 1000000"},
    };
    for (const auto& row : rows) {
        JsonObject config = *parse_json_object(R"({"queues":{"a":{}}})");
        config["sched-fluxion-qmanager"] = *parse_json(row.table);
        const auto read = SchedConfig::from_config(config);
        ASSERT_FALSE(read) << row.table;
        EXPECT_EQ(read.error().text(), row.error);
    }
}

TEST(SchedConfig, VirtualQueuesNameAQueueThatThereIs) {
    const auto error = [](std::string_view queues) {
        const auto read =
            SchedConfig::from_config(*parse_json_object(fmt::format(R"({{"queues":{}}})", queues)));
        return read ? std::string{} : read.error().text();
    };
    EXPECT_EQ(error(R"({"a":{},"v":{"parent":"a"}})"), "");
    EXPECT_EQ(error(R"({"v":{"parent":"b"}})"),
              "queue 'v' names unknown parent queue 'b'; define [queues.b]");
    EXPECT_NE(error(R"({"a":{},"v":{"parent":"a"},"w":{"parent":"v"}})"), "");
}

TEST(SchedCore, JobsOfAVirtualQueueAreScheduledWithThoseOfItsParent) {
    SchedConfig config;
    config.parents["v"] = "a";
    test::SchedFixture sched(test::cluster(2, 1), config);
    sched.submit(1, test::whole_nodes(1), {.queue = "a"});
    sched.submit(2, test::whole_nodes(2), {.queue = "a"});
    sched.submit(3, test::whole_nodes(1), {.queue = "v"});
    EXPECT_EQ(sched.pass(), test::Strings{"start 1"});
    sched.core.configure({});  // v is a queue of its own
    EXPECT_EQ(sched.pass(), test::Strings{"start 3"});
}

TEST(SchedConfig, RefusesAnUnknownMatchPolicyAndWarnsOfAnUnknownQueuePolicy) {
    const JsonObject match =
        *parse_json_object(R"({"sched-fluxion-resource":{"match-policy":"nosuch"}})");
    const auto refused = SchedConfig::from_config(match);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("'nosuch'"), std::string::npos);
    const JsonObject queue =
        *parse_json_object(R"({"sched-fluxion-qmanager":{"queue-policy":"nosuch"}})");
    const auto warned = SchedConfig::from_config(queue);
    ASSERT_TRUE(warned);
    EXPECT_EQ(warned->defaults.policy, QueuePolicy::fcfs);
    EXPECT_EQ(warned->warnings.size(), 1u);
}

}  // namespace
}  // namespace sluice
