#include "broker/jobs/exec_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ExecLog log(std::string name, JsonObject context = {}) {
    return ExecLog{Event{0, std::move(name), std::move(context)}};
}

ExecFsm one_shell() { return ExecFsm{{{3, "n3"}}, ExecConfig{}}; }
ExecFsm two_shells() { return ExecFsm{{{0, "n0"}, {1, "n1"}}, ExecConfig{}}; }

TEST(ExecFsm, OneShellFromInitToDone) {
    ExecFsm fsm = one_shell();
    EXPECT_EQ(fsm.on_launch(), (ExecActions{log("init"), log("starting")}));
    EXPECT_EQ(fsm.on_started(3), (ExecActions{AllStarted{}}));
    EXPECT_EQ(fsm.on_exited(3, 768),
              (ExecActions{log("shell-exit", {{"rank", 3u}, {"wait_status", 768}}),
                           log("complete", {{"status", 768}}), log("done"), Finished{768}}));
}

TEST(ExecFsm, BarrierOpensWhenAllHaveCome) {
    ExecFsm fsm = two_shells();
    EXPECT_THAT(fsm.on_barrier(0, 1), IsEmpty());
    EXPECT_EQ(fsm.on_barrier(1, 2), (ExecActions{BarrierGo{}}));
    EXPECT_THAT(fsm.on_barrier(1, 3), IsEmpty());
    EXPECT_EQ(fsm.on_barrier(0, 3), (ExecActions{BarrierGo{}}));
}

TEST(ExecFsm, ExitBeforeTheFirstBarrierEndsTheJob) {
    ExecFsm fsm = two_shells();
    (void)fsm.on_barrier(0, 1);
    EXPECT_EQ(fsm.on_exited(1, 256),
              (ExecActions{RaiseFatal{"exec", "n1 (rank 1) terminated before first barrier"},
                           BarrierFail{}}));
    EXPECT_EQ(fsm.on_barrier(0, 2), (ExecActions{BarrierFail{}}));
}

TEST(ExecFsm, BarrierTimesOut) {
    ExecConfig config;
    config.barrier_timeout = 10;
    ExecFsm fsm{{{0, "n0"}, {1, "n1"}}, config};
    (void)fsm.on_barrier(0, 1);
    EXPECT_EQ(fsm.deadline(), 11);
    EXPECT_EQ(fsm.on_time(11),
              (ExecActions{RaiseFatal{
                  "exec", "start barrier timeout waiting for 1/2 nodes (rank 1)"}}));
}

TEST(ExecFsm, LostFollowerIsToldToTheLeader) {
    ExecFsm fsm = two_shells();
    (void)fsm.on_barrier(0, 1);
    (void)fsm.on_barrier(1, 1);
    EXPECT_EQ(fsm.on_exited(1, SIGKILL),
              (ExecActions{TellLost{1, "shell rank 1 (on n1): Killed"}}));
}

TEST(ExecFsm, LostNodeEndsTheJob) {
    ExecFsm fsm = two_shells();
    (void)fsm.on_barrier(0, 1);
    (void)fsm.on_barrier(1, 1);
    EXPECT_EQ(fsm.on_lost(1), (ExecActions{RaiseFatal{"exec", "node failure on n1 (rank 1)"},
                                            TellLost{1, "node failure on n1 (shell rank 1)"}}));
    fsm = two_shells();
    (void)fsm.on_barrier(0, 1);
    (void)fsm.on_barrier(1, 1);
    fsm.set_critical(Idset{0});
    EXPECT_EQ(fsm.on_lost(1), (ExecActions{TellLost{1, "node failure on n1 (shell rank 1)"}}));
}

TEST(ExecFsm, KillEscalatesFromTasksToShellsToUnkillable) {
    ExecConfig config;
    config.kill_timeout = 5;
    config.max_kill_count = 2;
    ExecFsm fsm{{{3, "n3"}}, config};
    const Idset rank{3};
    EXPECT_EQ(fsm.on_cancel(0, 100), (ExecActions{SendSignal{rank, SIGTERM, false}}));
    EXPECT_THAT(fsm.on_cancel(0, 101), IsEmpty());
    EXPECT_THAT(fsm.on_time(104), IsEmpty());
    for (const double t : {105, 110, 115, 120})
        EXPECT_EQ(fsm.on_time(t), (ExecActions{SendSignal{rank, SIGKILL, false}})) << t;
    EXPECT_EQ(fsm.on_time(125), (ExecActions{SendSignal{rank, SIGKILL, true}}));
    EXPECT_EQ(fsm.deadline(), 135);
    EXPECT_EQ(fsm.on_time(135), (ExecActions{SendSignal{rank, SIGKILL, true}}));
    EXPECT_EQ(fsm.on_time(155), (ExecActions{Unkillable{rank}}));
    EXPECT_EQ(fsm.deadline(), std::nullopt);
}

TEST(ExecFsm, TimeoutBeginsWithAlarmAndExitEndsTheEscalation) {
    ExecFsm fsm = one_shell();
    EXPECT_EQ(fsm.on_cancel(SIGALRM, 1), (ExecActions{SendSignal{Idset{3}, SIGALRM, false}}));
    const auto actions = fsm.on_exited(3, 36352);
    EXPECT_EQ(actions.back(), ExecAction{Finished{36352}});
    EXPECT_EQ(fsm.deadline(), std::nullopt);
}

TEST(ExecFsm, ACancelReachesWhatIgnoredTheAlarm) {
    ExecFsm fsm = one_shell();
    fsm.on_cancel(SIGALRM, 1);
    const auto deadline = fsm.deadline();
    EXPECT_EQ(fsm.on_cancel(0, 2), (ExecActions{SendSignal{Idset{3}, SIGTERM, false}}));
    EXPECT_THAT(fsm.on_cancel(0, 3), IsEmpty());
    EXPECT_EQ(fsm.deadline(), deadline);
}

TEST(ExecConfig, NamesTheKeyThatIsWrong) {
    const auto config = [](const char* text) {
        return ExecConfig::from_config(*parse_json_object(text));
    };
    EXPECT_EQ(config(R"({"exec":{"kill-timeout":"0.3s"}})")->kill_timeout, 0.3);
    EXPECT_EQ(config(R"({"exec":{"term-signal":"SIGUSR1"}})")->term_signal, SIGUSR1);
    EXPECT_THAT(config(R"({"exec":{"kill-timeout":"soon"}})").error().text(),
                testing::HasSubstr("exec.kill-timeout"));
    EXPECT_THAT(config(R"({"exec":{"kill-signal":"SIGNOPE"}})").error().text(),
                testing::HasSubstr("exec.kill-signal"));
}

}  // namespace
}  // namespace sluice
