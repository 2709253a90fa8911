#include "cmd/format/queue_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

const char* two_queues =
    R"({"queues":{"batch":{"requires":["fat"],"policy":{"limits":{"duration":"8h",
        "job-size":{"max":{"nnodes":2},"min":{"ncores":3}}},
        "jobspec":{"defaults":{"system":{"duration":"1h"}}}}},"debug":{}},
        "policy":{"jobspec":{"defaults":{"system":{"queue":"batch"}}},"limits":{"duration":86400.0,
        "job-size":{"max":{"ngpus":-1}}}}})";

QueueRow row(std::string name) {
    QueueRow queue;
    queue.name = std::move(name);
    queue.config = *parse_json_object(two_queues);
    queue.all = {4, 32, 8};
    queue.enabled = true;
    return queue;
}

std::string text(const QueueRow& queue, std::string_view field) {
    EXPECT_TRUE(queue_heading(field)) << field;
    return plain_text(queue_field(queue, field));
}

TEST(QueueFields, TakesTheQueuesOwnLimitsBeforeTheInstances) {
    const QueueRow batch = row("batch");
    const QueueRow debug = row("debug");
    EXPECT_EQ(text(batch, "limits.timelimit"), "28800.0");
    EXPECT_EQ(text(debug, "limits.timelimit"), "86400.0");
    EXPECT_EQ(text(batch, "defaults.timelimit"), "3600.0");
    EXPECT_EQ(text(debug, "defaults.timelimit"), "inf");
    EXPECT_EQ(text(batch, "limits.range.nnodes"), "0-2");
    EXPECT_EQ(text(debug, "limits.range.nnodes"), "0-inf");
    EXPECT_EQ(text(batch, "limits.range.ncores"), "3-inf");
    EXPECT_EQ(text(batch, "limits.min.ncores"), "3");
    EXPECT_EQ(text(batch, "limits.max.ngpus"), "inf");
}

TEST(QueueFields, BoundsEffectiveRangesByTheResources) {
    EXPECT_EQ(text(row("batch"), "limits.range.effective.nnodes"), "0-2");
    EXPECT_EQ(text(row("debug"), "limits.range.effective.nnodes"), "0-4");
    EXPECT_EQ(text(row("debug"), "limits.range.effective.ngpus"), "0-8");
    EXPECT_EQ(text(row("debug"), "resources.all.ncores"), "32");
}

TEST(QueueFields, MarksTheDefaultQueueAndStates) {
    QueueRow batch = row("batch");
    EXPECT_EQ(text(batch, "queuem"), "batch*");
    EXPECT_EQ(text(row("debug"), "queuem"), "debug");
    EXPECT_EQ(text(row(""), "queuem"), "");
    EXPECT_EQ(text(batch, "submission"), "enabled");
    EXPECT_EQ(text(batch, "scheduling"), "stopped");
    EXPECT_EQ(text(batch, "enabled.ascii"), "y");
    EXPECT_EQ(text(batch, "color_enabled"), "");
    batch.colour = true;
    EXPECT_EQ(text(batch, "color_started"), "\033[01;31m");
}

TEST(QueueFields, ReadsNamesAndPropertiesFromTheConfiguration) {
    const JsonObject config = *parse_json_object(two_queues);
    EXPECT_THAT(configured_queues(config), testing::ElementsAre("batch", "debug"));
    EXPECT_THAT(queue_requires(config, "batch"), testing::ElementsAre("fat"));
    EXPECT_THAT(queue_requires(config, "debug"), testing::IsEmpty());
    EXPECT_THAT(configured_queues({}), testing::IsEmpty());
    EXPECT_EQ(*queue_heading("resources.down.nnodes"), "NODES:DOWN");
    EXPECT_FALSE(queue_heading("nosuch"));
}

}  // namespace
}  // namespace sluice
