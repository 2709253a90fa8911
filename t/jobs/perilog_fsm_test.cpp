#include "broker/jobs/perilog_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace sluice {
namespace {

using testing::IsEmpty;

constexpr int exit_1 = 1 << 8;

PerilogConfig config_of(bool per_rank = true) {
    return {.command = {"script"},
            .per_rank = per_rank,
            .cancel_on_exception = true,
            .timeout = 100,
            .kill_timeout = 5};
}

PerilogFsm launched(const PerilogConfig& config, Idset ranks) {
    PerilogFsm fsm{config, ranks};
    fsm.on_launch(1000);
    return fsm;
}

TEST(PerilogFsm, IsDoneWhenAllRanksHaveExited) {
    PerilogFsm fsm = launched(config_of(), {0, 1});
    EXPECT_EQ(fsm.deadline(), 1100);
    EXPECT_THAT(fsm.on_exited(1, 0), IsEmpty());
    EXPECT_EQ(fsm.active(), Idset{0});
    EXPECT_EQ(fsm.on_exited(0, 0), (PerilogActions{PerilogDone{}}));
    EXPECT_FALSE(fsm.deadline());
    EXPECT_THAT(fsm.on_exited(0, 0), IsEmpty());
}

TEST(PerilogFsm, AFailingRankIsBlamedAndDrained) {
    PerilogFsm fsm = launched(config_of(), {0, 1, 2});
    (void)fsm.on_exited(0, 0);
    (void)fsm.on_exited(1, exit_1);
    EXPECT_EQ(fsm.on_exited(2, 0),
              (PerilogActions{PerilogDone{.status = exit_1,
                                          .failed = true,
                                          .blamed = {1},
                                          .cause = "exited with code=1",
                                          .drain = "failed"}}));
}

TEST(PerilogFsm, WithoutPerRankNothingIsDrained) {
    PerilogFsm fsm = launched(config_of(false), {0});
    EXPECT_EQ(fsm.on_exited(0, exit_1),
              (PerilogActions{PerilogDone{.status = exit_1,
                                          .failed = true,
                                          .blamed = {0},
                                          .cause = "exited with code=1",
                                          .drain = ""}}));
}

TEST(PerilogFsm, TellsSignalsAndWhatCannotBeStarted) {
    const auto cause = [](int status) {
        PerilogFsm fsm = launched(config_of(), {0});
        return std::get<PerilogDone>(fsm.on_exited(0, status).at(0)).cause;
    };
    EXPECT_EQ(cause(SIGTERM), "killed by signal 15");
    EXPECT_EQ(cause((128 + SIGSEGV) << 8), "killed by signal 11");
    PerilogFsm missing = launched(config_of(), {0});
    EXPECT_EQ(std::get<PerilogDone>(missing.on_failed(0, ENOENT).at(0)).status, 127 << 8);
    PerilogFsm lost = launched(config_of(), {0});
    EXPECT_EQ(std::get<PerilogDone>(lost.on_failed(0, EHOSTUNREACH).at(0)).cause,
              "exited with code=1");
}

TEST(PerilogFsm, TimesOutBySigtermAndIsAFailureWhateverTheStatus) {
    PerilogFsm fsm = launched(config_of(), {0, 3});
    (void)fsm.on_exited(0, 0);
    EXPECT_THAT(fsm.on_time(1099), IsEmpty());
    EXPECT_EQ(fsm.on_time(1100), (PerilogActions{SignalScript{{3}, SIGTERM}}));
    EXPECT_EQ(fsm.state(), "timeout");
    EXPECT_EQ(fsm.on_exited(3, SIGTERM),
              (PerilogActions{PerilogDone{.status = SIGTERM,
                                          .failed = true,
                                          .blamed = {3},
                                          .cause = "timed out",
                                          .drain = "timed out"}}));
    PerilogFsm polite = launched(config_of(), {0});
    (void)polite.on_time(1100);
    EXPECT_EQ(std::get<PerilogDone>(polite.on_exited(0, 0).at(0)).cause, "timed out");
}

TEST(PerilogFsm, WhatOutlivesTheKillTimeoutIsGivenUp) {
    PerilogFsm fsm = launched(config_of(), {0, 3});
    (void)fsm.on_time(1100);
    (void)fsm.on_exited(0, SIGTERM);
    EXPECT_EQ(fsm.deadline(), 1105);
    EXPECT_EQ(fsm.on_time(1105),
              (PerilogActions{PerilogDone{.status = SIGTERM,
                                          .failed = true,
                                          .blamed = {3},
                                          .cause = "timed out",
                                          .drain = "timed out"}}));
    EXPECT_THAT(fsm.on_exited(3, 0), IsEmpty());
}

TEST(PerilogFsm, AnExceptionCancelsWithoutBlame) {
    PerilogFsm fsm = launched(config_of(), {0});
    EXPECT_EQ(fsm.on_exception(1010), (PerilogActions{SignalScript{{0}, SIGTERM}}));
    EXPECT_THAT(fsm.on_exception(1011), IsEmpty());
    EXPECT_EQ(fsm.state(), "canceled");
    EXPECT_EQ(fsm.on_exited(0, SIGTERM),
              (PerilogActions{PerilogDone{.status = SIGTERM,
                                          .failed = true,
                                          .blamed = {0},
                                          .cause = "",
                                          .drain = ""}}));
}

TEST(PerilogFsm, ACancelledScriptThatStaysIsGivenUp) {
    PerilogFsm fsm = launched(config_of(false), {0});
    (void)fsm.on_exception(1010);
    EXPECT_EQ(fsm.on_time(1015),
              (PerilogActions{PerilogDone{.status = SIGTERM,
                                          .failed = true,
                                          .blamed = {0},
                                          .cause = "canceled then timed out",
                                          .drain = "canceled then timed out"}}));
}

TEST(PerilogFsm, CancelledBeforeItsLaunchItNeverRuns) {
    PerilogFsm fsm{config_of(), {0}};
    EXPECT_EQ(fsm.on_exception(1000),
              (PerilogActions{PerilogDone{.status = SIGTERM,
                                          .failed = true,
                                          .blamed = {},
                                          .cause = "",
                                          .drain = ""}}));
}

TEST(PerilogFsm, AnExceptionIsPassedOverWhenSoConfigured) {
    PerilogConfig config = config_of();
    config.cancel_on_exception = false;
    PerilogFsm fsm = launched(config, {0});
    EXPECT_THAT(fsm.on_exception(1010), IsEmpty());
}

}  // namespace
}  // namespace sluice
