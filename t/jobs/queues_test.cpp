#include "broker/jobs/queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

Result<Queues> queues(const char* config) {
    return Queues::from_config(*parse_json_object(config));
}

constexpr const char* two_queues =
    R"({"queues":{"batch":{"requires":["big"],"policy":{"limits":{"duration":"1h"}}},"debug":{}},
        "policy":{"jobspec":{"defaults":{"system":{"queue":"batch","duration":"10m"}}}}})";

Jobspec job(double duration, std::uint32_t nodes = 0, std::uint32_t cores = 1) {
    Jobspec jobspec;
    jobspec.duration = duration;
    jobspec.request.nodes = nodes;
    jobspec.request.slots = cores;
    return jobspec;
}

TEST(Queues, AnonymousQueueIsStartedNamedOnesAreNot) {
    Queues anonymous;
    EXPECT_TRUE(anonymous.names().empty());
    EXPECT_EQ(dump_json(*anonymous.status(std::nullopt)), R"({"enable":true,"start":true})");
    const auto named = queues(two_queues);
    ASSERT_TRUE(named);
    EXPECT_THAT(named->names(), testing::ElementsAre("batch", "debug"));
    EXPECT_EQ(dump_json(*named->status("debug")), R"({"enable":true,"start":false})");
    EXPECT_EQ(named->status("nosuch").error().text(), "'nosuch' is not a valid queue");
}

TEST(Queues, ReasonsAreKeptUntilTheNextChange) {
    Queues one;
    ASSERT_TRUE(one.start({std::nullopt, false, false, "lunch time"}));
    ASSERT_TRUE(one.enable({std::nullopt, false, false, "gone fishing"}));
    EXPECT_EQ(dump_json(*one.status(std::nullopt)),
              R"({"enable":false,"start":false,"disable_reason":"gone fishing",)"
              R"("stop_reason":"lunch time"})");
    ASSERT_TRUE(one.start({std::nullopt, false, false, ""}));
    EXPECT_FALSE(one.status(std::nullopt)->contains("stop_reason"));
    EXPECT_EQ(one.admit("", job(0)).error().text(), "job submission is disabled: gone fishing");
}

TEST(Queues, NamedOnesWantANameOrAll) {
    auto named = *queues(two_queues);
    EXPECT_FALSE(named.start({std::nullopt, false, true, ""}));
    ASSERT_TRUE(named.start({std::nullopt, true, true, ""}));
    EXPECT_TRUE(named.started("batch"));
    ASSERT_TRUE(named.start({"batch", false, false, ""}));
    EXPECT_FALSE(named.started("batch"));
    EXPECT_TRUE(named.started("debug"));
    EXPECT_FALSE(named.start({"nosuch", false, true, ""}));
}

TEST(Queues, DefaultsFillQueueDurationAndRequirements) {
    const auto named = *queues(two_queues);
    EXPECT_EQ(dump_json(*named.defaults_for("", 0, nullptr)),
              R"({"attributes.system.queue":"batch","attributes.system.duration":600.0,)"
              R"("attributes.system.constraints":{"properties":["big"]}})");
    EXPECT_EQ(dump_json(*named.defaults_for("debug", 5, nullptr)), "{}");
    const auto unknown = named.defaults_for("nosuch", 0, nullptr);
    EXPECT_EQ(unknown.error(), Error(EPERM, "Invalid queue 'nosuch' specified"));
    const auto none = queues(R"({"queues":{"a":{}}})")->defaults_for("", 0, nullptr);
    EXPECT_EQ(none.error(), Error(EPERM, "no queue specified"));
    EXPECT_EQ(Queues{}.defaults_for("debug", 0, nullptr).error(),
              Error(EINVAL, "'debug' is not a valid queue"));
}

TEST(Queues, AVirtualQueueHasWhatItsParentRequiresAndLimits) {
    const auto named = *queues(
        R"({"queues":{"a":{"requires":["big"],"policy":{"limits":{"duration":"1h"}}},
            "v":{"parent":"a"},"w":{"parent":"a","policy":{"limits":{"duration":"10m"}}}}})");
    EXPECT_EQ(dump_json(*named.defaults_for("v", 5, nullptr)),
              R"({"attributes.system.constraints":{"properties":["big"]}})");
    EXPECT_EQ(named.admit("v", job(7200)).error().text(),
              "requested duration (2h) exceeds policy limit of 1h for queue v");
    EXPECT_EQ(named.admit("w", job(1200)).error().text(),
              "requested duration (20m) exceeds policy limit of 10m for queue w");
    for (const char* wrong : {R"({"queues":{"v":{"parent":"a"}}})",
                              R"({"queues":{"v":{"parent":7},"a":{}}})",
                              R"({"queues":{"a":{"parent":"v"},"v":{"parent":"a"}}})",
                              R"({"queues":{"a":{},"v":{"parent":"a","requires":["x"]}}})"})
        EXPECT_FALSE(queues(wrong)) << wrong;
}

TEST(Queues, LimitsAreCheckedInWords) {
    const auto limited = *queues(
        R"({"policy":{"limits":{"duration":"1h","job-size":{"max":{"nnodes":2,"ncores":8},
            "min":{"ncores":2}}}}})");
    const auto text = [&](const Jobspec& jobspec) {
        const auto admitted = limited.admit("", jobspec);
        return admitted ? std::string{"admitted"} : admitted.error().text();
    };
    EXPECT_EQ(text(job(60, 0, 4)), "admitted");
    EXPECT_EQ(text(job(0, 0, 4)), "requested duration (unlimited) exceeds policy limit of 1h");
    EXPECT_EQ(text(job(60, 3, 4)), "requested nnodes (3) exceeds policy limit of 2");
    EXPECT_EQ(text(job(60, 0, 1)), "requested ncores (1) is under policy limit of 2");
    EXPECT_EQ(text(job(60, 0, 9)), "requested ncores (9) exceeds policy limit of 8");
    const auto named = *queues(two_queues);
    EXPECT_EQ(named.admit("batch", job(7200)).error().text(),
              "requested duration (2h) exceeds policy limit of 1h for queue batch");
}

TEST(Queues, WrongConfigurationsNameTheKey) {
    const auto text = [](const char* config) {
        const auto result = queues(config);
        return result ? std::string{"accepted"} : result.error().text();
    };
    EXPECT_THAT(text(R"({"policy":{"nosuch":1}})"), HasSubstr("policy.nosuch"));
    EXPECT_THAT(text(R"({"policy":{"limits":{"duration":"nonsense"}}})"),
                HasSubstr("policy.limits.duration"));
    EXPECT_THAT(text(R"({"queues":{"a":{"reqires":[]}}})"), HasSubstr("queues.a.reqires"));
    const std::pair<const char*, const char*> wrong[] = {
        {R"({"policy":{"jobspec":{"foo":1}}})", "policy.jobspec.foo"},
        {R"({"policy":{"jobspec":{"defaults":{"foo":1}}}})", "policy.jobspec.defaults.foo"},
        {R"({"policy":{"jobspec":{"defaults":{"system":{"foo":1}}}}})",
         "policy.jobspec.defaults.system.foo"},
        {R"({"policy":{"jobspec":{"defaults":{"system":{"duration":1}}}}})",
         "policy.jobspec.defaults.system.duration: want a duration"},
        {R"({"policy":{"limits":{"duration":1.0}}})", "policy.limits.duration: want a duration"},
        {R"({"policy":{"access":{"foo":1}}})", "policy.access.foo"},
        {R"({"policy":{"access":{"allow-user":[1]}}})", "policy.access.allow-user: want an array"},
        {R"({"queues":{"a":{"policy":{"limits":{"duration":1}}}}})",
         "queues.a.policy.limits.duration"},
        {R"({"queues":{"a":{"requires":["foo|bar"]}}})", "queues.a.requires"},
    };
    for (const auto& [config, key] : wrong) EXPECT_THAT(text(config), HasSubstr(key)) << config;
    EXPECT_THAT(
        text(R"({"queues":{"a":{}},"policy":{"jobspec":{"defaults":{"system":{"queue":"b"}}}}})"),
        HasSubstr("default queue b that is not in [queues] table"));
}

TEST(Queues, ACheckpointBringsTheStateBack) {
    auto before = *queues(two_queues);
    ASSERT_TRUE(before.start({"batch", false, true, ""}));
    ASSERT_TRUE(before.enable({"debug", false, false, "closed"}));
    auto after = *queues(two_queues);
    after.restore(before.checkpoint());
    EXPECT_TRUE(after.started("batch"));
    EXPECT_EQ(*after.status("debug"), *before.status("debug"));
}

TEST(Queues, ARestartStopsOnlyWhatIsStarted) {
    auto queues = Queues::from_config(*parse_json_object(R"({"queues":{"a":{},"b":{}}})"));
    ASSERT_TRUE(queues);
    ASSERT_TRUE(queues->start({"b", false, false, "maintenance"}));
    ASSERT_TRUE(queues->start({"a", false, true, ""}));
    queues->stop_started("restart");
    EXPECT_EQ(queues->find("a")->stop_reason, "restart");
    EXPECT_EQ(queues->find("b")->stop_reason, "maintenance");
    EXPECT_FALSE(queues->started("a") || queues->started("b"));
}

}  // namespace
}  // namespace sluice
