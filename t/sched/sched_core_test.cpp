#include "sched/sched_core.hpp"

#include <gtest/gtest.h>

#include "sched/constraint_hosts.hpp"
#include "sched/summary.hpp"
#include "t/resource/builders.hpp"

namespace sluice {
namespace {

using test::cluster;
using test::nodes;
using test::slots;
using test::whole_nodes;
using Strings = std::vector<std::string>;

struct Ask {
    std::uint32_t priority = 16;
    double duration = 0;
    std::string queue = {};
    std::string constraint = {};
};

/// Jobs named by numbers; what was decided comes back as words: "start 1", "deny 2", "cancelled 3".
class Fixture {
  public:
    explicit Fixture(const ResourceSet& R, SchedConfig config = {}) : core(std::move(config)) {
        core.define({R, {}, R.ranks()});
    }
    void submit(std::uint64_t id, ResourceRequest request, Ask ask = {}) {
        AllocRequest alloc;
        alloc.id = JobId{id};
        alloc.priority = ask.priority;
        alloc.t_submit = static_cast<double>(id);
        alloc.request = request;
        alloc.duration = ask.duration;
        alloc.queue = ask.queue;
        alloc.constraint_text = ask.constraint;
        if (!ask.constraint.empty()) alloc.constraint = test::constraint(ask.constraint);
        core.submit(std::move(alloc));
    }
    Strings pass() {
        Strings words;
        last = core.pass(now);
        for (const Decision& decision : last) {
            if (const auto* alloc = std::get_if<Alloc>(&decision)) {
                words.push_back(fmt::format("start {}", alloc->id));
                held[alloc->id] = alloc->R;
            } else if (const auto* deny = std::get_if<Deny>(&decision)) {
                words.push_back(fmt::format("deny {}", deny->id));
            } else if (const auto* cancelled = std::get_if<Cancelled>(&decision)) {
                words.push_back(fmt::format("cancelled {}", cancelled->id));
            }
        }
        return words;
    }
    void finish(std::uint64_t id) {
        core.free(JobId{id}, held.at(JobId{id}), true);
        held.erase(JobId{id});
    }
    /// The annotation of the last pass for a job, as JSON text, or "".
    std::string annotation(std::uint64_t id) const {
        for (const Decision& decision : last)
            if (const auto* annotate = std::get_if<Annotate>(&decision))
                if (annotate->id == JobId{id}) return dump_json(annotate->annotations);
        return {};
    }

    SchedCore core;
    double now = 1000;
    std::vector<Decision> last;
    std::map<JobId, ResourceSet> held;
};

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
    EXPECT_EQ(sched.core.match_count(), before + 1);
}

SchedConfig easy() {
    SchedConfig config;
    config.policy = QueuePolicy::easy;
    return config;
}

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
        "sched-fluxion-qmanager":{"queue-policy":"easy","queue-policy-per-queue":"a:fcfs b:hybrid",
                                  "queue-params":{"queue-depth":8}},
        "sched-fluxion-resource":{"match-policy":"hinodex"}})");
    const auto read = SchedConfig::from_config(config);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->policy_for(""), QueuePolicy::easy);
    EXPECT_EQ(read->policy_for("a"), QueuePolicy::fcfs);
    EXPECT_EQ(read->policy_for("b"), QueuePolicy::easy);
    EXPECT_EQ(read->match, (MatchOptions{NodeOrder::highest_first, true}));
    EXPECT_EQ(read->queue_depth, 8u);
    EXPECT_TRUE(read->warnings.empty());
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
    EXPECT_EQ(warned->policy, QueuePolicy::fcfs);
    EXPECT_EQ(warned->warnings.size(), 1u);
}

}  // namespace
}  // namespace sluice
