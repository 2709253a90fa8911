#include "shell/mustache.hpp"

#include <gtest/gtest.h>

#include "base/rfc/fluid.hpp"

namespace sluice::shell {
namespace {

MustacheValues values() {
    MustacheValues values;
    values.id = JobId{64927825920};
    values.name = "echo";
    values.tmpdir = "/run/tmp";
    values.nnodes = 2;
    values.ntasks = 4;
    values.node = {1, 7, 2, "n7", "0-1", ""};
    values.task = {3, 1};
    return values;
}

TEST(Mustache, ReplacesWhatItKnows) {
    const auto id = to_f58(JobId{64927825920});
    EXPECT_EQ(render("{{id}} {{jobid.dec}} {{id.f58plain}}", values()),
              id + " 64927825920 f2hvT5bV");
    EXPECT_EQ(render("{{name}} {{size}} {{ntasks}} {{nnodes}} {{tmpdir}}/x", values()),
              "echo 4 4 2 /run/tmp/x");
    EXPECT_EQ(render("{{node.id}} {{node.broker_rank}} {{node.name}} {{node.cores}}", values()),
              "1 7 n7 0-1");
    EXPECT_EQ(render("{{task.id}}{{taskid}}{{task.rank}} {{task.index}}{{task.localid}}", values()),
              "333 11");
}

TEST(Mustache, LeavesTheRest) {
    EXPECT_EQ(render("{{nosuch}} {{ {{}} {{id.nosuch}} }}", values()),
              "{{nosuch}} {{ {{}} {{id.nosuch}} }}");
    MustacheValues no_task = values();
    no_task.task.reset();
    EXPECT_EQ(render("{{task.id}}", no_task), "{{task.id}}");
}

TEST(Mustache, TellsNodeAndTaskTags) {
    EXPECT_TRUE(has_node_tag("a.{{node.name}}"));
    EXPECT_FALSE(has_node_tag("a.{{id}}.{{taskid}}"));
    EXPECT_TRUE(has_task_tag("{{node.name}}.{{task.localid}}"));
    EXPECT_FALSE(has_task_tag("{{node.name}}"));
}

}  // namespace
}  // namespace sluice::shell
