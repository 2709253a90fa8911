#include "shell/task_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::shell {
namespace {

using testing::ElementsAre;

ResourceSet nodes(const std::vector<std::uint32_t>& cores) {
    ResourceSet resources;
    for (std::uint32_t i = 0; i < cores.size(); ++i)
        resources.add({i, fmt::format("n{}", i), Idset::range(0, cores[i] - 1), {}});
    return resources;
}

Jobspec job(TaskCount tasks, std::uint32_t slots, std::uint32_t cores_per_slot = 1) {
    Jobspec jobspec;
    jobspec.request.slots = slots;
    jobspec.request.cores_per_slot = cores_per_slot;
    jobspec.tasks = tasks;
    return jobspec;
}

constexpr TaskCount per_slot{TaskCount::Kind::per_slot, 1};

TEST(TasksPerShell, FollowTheCores) {
    EXPECT_THAT(tasks_per_shell(job(per_slot, 4), nodes({2, 2})), ElementsAre(2, 2));
    EXPECT_THAT(tasks_per_shell(job(per_slot, 5), nodes({4, 1})), ElementsAre(4, 1));
    EXPECT_THAT(tasks_per_shell(job(per_slot, 3, 2), nodes({4, 2})), ElementsAre(2, 1));
}

TEST(TasksPerShell, ShareWholeNodesEqually) {
    EXPECT_THAT(tasks_per_shell(job(per_slot, 2), nodes({16, 16})), ElementsAre(1, 1));
}

TEST(TasksPerShell, GiveTheFirstNodesTheOddOnes) {  // flux run -N2 -n3
    EXPECT_THAT(tasks_per_shell(job({TaskCount::Kind::total, 3}, 4), nodes({2, 2})),
                ElementsAre(2, 1));
}

TEST(TasksPerShell, ShareEquallyBeyondTheCores) {
    EXPECT_THAT(tasks_per_shell(job({TaskCount::Kind::total, 5}, 2), nodes({1, 1})),
                ElementsAre(3, 2));
}

TEST(TasksPerShell, KnowPerNodeAndPerCore) {
    EXPECT_THAT(tasks_per_shell(job({TaskCount::Kind::per_node, 3}, 2), nodes({1, 4})),
                ElementsAre(3, 3));
    EXPECT_THAT(tasks_per_shell(job({TaskCount::Kind::per_core, 2}, 2), nodes({1, 4})),
                ElementsAre(2, 8));
}

TEST(PlanTasks, OrdersTasksByTheScheme) {
    struct Row {
        const char *scheme, *value;
        std::vector<std::uint32_t> second_shell;
    };
    const Row rows[] = {
        {"block", "", {4, 5, 6, 7}},
        {"cyclic", "", {1, 3, 5, 7}},
        {"cyclic", "2", {2, 3, 6, 7}},
        {"cyclic", "3", {3, 4, 5, 7}},
        {"manual", "[[1,1,1,1],[0,1,7,1]]", {0}},
        {"hostfile", "n1\nn0\n", {0, 2, 4, 6}},
        {"hostfile", "\nn[0-1,1]", {1, 2, 4, 5, 7}},
    };
    for (const Row& row : rows) {
        const auto plan = plan_tasks(job(per_slot, 8), nodes({4, 4}), 1, row.scheme, row.value);
        ASSERT_TRUE(plan) << row.scheme << row.value;
        EXPECT_EQ(plan->ranks, row.second_shell) << row.scheme << row.value;
        EXPECT_EQ(plan->ntasks, 8u);
    }
}

TEST(PlanTasks, RefusesMapsThatDoNotFit) {
    const auto plan = [](const char* scheme, const char* value) {
        return plan_tasks(job(per_slot, 4), nodes({2, 2}), 0, scheme, value);
    };
    EXPECT_FALSE(plan("manual", "[[0,1,3,1]]"));  // three tasks
    EXPECT_FALSE(plan("manual", "[[0,4,1,1]]"));  // four nodes
    EXPECT_FALSE(plan("manual", "nonsense"));
    EXPECT_FALSE(plan("cyclic", "x"));
    EXPECT_FALSE(plan("cyclic", "0"));
    EXPECT_FALSE(plan("nosuch", ""));
    EXPECT_EQ(plan("hostfile", "n0\nn9\n").error().text(),
              "taskmap: hostfile: line 2: host n9 is not one of the job's");
    EXPECT_FALSE(plan("hostfile", "n[0-"));
    EXPECT_FALSE(plan("hostfile", ""));
}

}  // namespace
}  // namespace sluice::shell
