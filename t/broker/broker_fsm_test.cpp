#include "broker/lifecycle/broker_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/lifecycle/initial_program.hpp"

namespace sluice {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

BrokerState after(std::initializer_list<const char*> events) {
    BrokerFsm fsm;
    for (const char* event : events) fsm.on_event(event);
    return fsm.state();
}

TEST(BrokerFsm, PassesThroughAllStatesOfAGoodRun) {
    BrokerFsm fsm;
    std::vector<std::string_view> seen;
    for (const char* event :
         {"builtins-success", "parent-none", "sync-none", "rc1-success", "quorum-full",
          "rc2-success", "cleanup-success", "children-none", "rc3-success", "goodbye",
          "builtins-done"}) {
        const auto state = fsm.on_event(event);
        ASSERT_TRUE(state) << event;
        seen.push_back(broker_state_name(*state));
    }
    EXPECT_THAT(seen, ElementsAre("join", "config-sync", "init", "quorum", "run", "cleanup",
                                  "shutdown", "finalize", "goodbye", "unload-builtins", "exit"));
}

TEST(BrokerFsm, SkipsTheProgramWhenAnEarlierStageFails) {
    EXPECT_EQ(after({"builtins-success", "parent-fail"}), BrokerState::shutdown);
    EXPECT_EQ(after({"builtins-success", "parent-ready", "sync-fail"}), BrokerState::shutdown);
    EXPECT_EQ(after({"builtins-success", "parent-none", "sync-none", "rc1-fail"}),
              BrokerState::shutdown);
}

TEST(BrokerFsm, IgnoresEventsOfOtherStates) {
    BrokerFsm fsm;
    EXPECT_FALSE(fsm.on_event("rc2-success"));
    EXPECT_FALSE(fsm.on_event("nonsense"));
    EXPECT_EQ(fsm.state(), BrokerState::load_builtins);
}

TEST(BrokerFsm, APanicEndsItFromAnywhere) {
    EXPECT_EQ(after({"panic"}), BrokerState::exit);
    EXPECT_EQ(after({"builtins-success", "parent-none", "panic"}), BrokerState::exit);
}

TEST(BrokerFsm, KeepsTheCodeOfTheFirstFailure) {
    BrokerFsm fsm;
    EXPECT_EQ(fsm.exit_code(), 0);
    fsm.fail(5);
    fsm.fail(6);
    EXPECT_EQ(fsm.exit_code(), 5);
}

const ProgramSurroundings around{
    "/bin/bash", [](const std::string& word) { return word == "sh" || word == "/bin/sh"; },
    [](const std::string& path) { return path == "./prog"; }};

TEST(InitialProgram, FollowsTheNumberAndKindOfItsWords) {
    EXPECT_EQ(plan_initial_program({}, around),
              (InitialProgram{{"/bin/bash"}, "/bin/bash", true}));
    EXPECT_EQ(plan_initial_program({"sh"}, around), (InitialProgram{{"sh"}, "sh", true}));
    EXPECT_EQ(plan_initial_program({"./prog"}, around),
              (InitialProgram{{"./prog"}, "./prog", false}));
    EXPECT_EQ(plan_initial_program({"echo a; exit 3"}, around),
              (InitialProgram{{"/bin/bash", "-c", "echo a; exit 3"},
                              "/bin/bash -c echo a; exit 3", false}));
    EXPECT_EQ(plan_initial_program({"sh", "-c", "exit 7"}, around),
              (InitialProgram{{"sh", "-c", "exit 7"}, "sh -c exit 7", false}));
}

TEST(ProgramEnvironment, LeavesTheBrokersOwnSurroundingsBehind) {
    const auto environment =
        program_environment({"HOME=/h", "FLUX_URI=old", "FLUX_JOB_ID=ƒ1", "PMI_FD=3", "PMIX_X=1",
                             "SLURM_JOBID=2", "FLUX_EXEC_PATH=/bin"},
                            "local:///run/local-0", "ƒ2");
    EXPECT_THAT(environment, ElementsAre("HOME=/h", "FLUX_EXEC_PATH=/bin",
                                         "FLUX_URI=local:///run/local-0", "FLUX_ENCLOSING_ID=ƒ2"));
    EXPECT_THAT(program_environment({}, "u", std::nullopt),
                Not(Contains(testing::StartsWith("FLUX_ENCLOSING_ID"))));
}

}  // namespace
}  // namespace sluice
