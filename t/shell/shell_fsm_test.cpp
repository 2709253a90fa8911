#include "shell/shell_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::shell {
namespace {

using namespace action;
using testing::ElementsAre;
using testing::IsEmpty;

ShellFsm::Options one_node(std::uint32_t ntasks) {
    ShellFsm::Options options;
    for (std::uint32_t rank = 0; rank < ntasks; ++rank) options.ranks.push_back(rank);
    options.exit_timeout = 30.0;
    options.exit_timeout_text = "30s";
    options.job_name = "sh";
    options.hostname = "h";
    return options;
}

TaskExit ended(std::uint32_t localid, int status) {
    return {localid, localid, 100, status};
}

template <class... Actions>
auto actions(Actions... expected) {
    return ElementsAre(ShellAction{expected}...);
}

TEST(ShellFsm, RunsOneTaskAndFinishesWithItsCode) {
    ShellFsm fsm{one_node(1)};
    EXPECT_THAT(fsm.begin(), actions(StartTasks{}));
    EXPECT_THAT(fsm.on_started(), IsEmpty());
    EXPECT_THAT(fsm.on_exit(ended(0, 3 << 8)), actions(PostTaskExit{ended(0, 3 << 8)}));
    EXPECT_THAT(fsm.on_done(0), actions(Finish{3}));
    EXPECT_THAT(fsm.on_kill(15), IsEmpty());
}

TEST(ShellFsm, TakesTheHighestCodeAndNamesTheFirstExit) {
    ShellFsm fsm{one_node(2)};
    fsm.begin();
    fsm.on_started();
    EXPECT_THAT(fsm.on_exit(ended(1, 15)), actions(PostTaskExit{ended(1, 15)}, ArmExitTimer{30}));
    EXPECT_THAT(fsm.on_done(1), IsEmpty());
    EXPECT_THAT(fsm.on_exit(ended(0, 0)), IsEmpty());
    EXPECT_THAT(fsm.on_done(0), actions(Finish{143}));
}

TEST(ShellFsm, RaisesWhenTheExitTimeoutHasExpired) {
    ShellFsm fsm{one_node(2)};
    fsm.begin();
    fsm.on_started();
    fsm.on_exit(ended(0, 256));
    const std::string note =
        "sh: task rank 0 on host h exited (Exit 1) and exit-timeout=30s has "
        "expired";
    EXPECT_THAT(fsm.on_exit_timer(),
                actions(Log{{LogLevel::fatal, "task-exit", note}}, Raise{note, 256}));
    EXPECT_THAT(fsm.on_exit_timer(), IsEmpty());
}

TEST(ShellFsm, RaisesOnceWithExitOnError) {
    ShellFsm::Options options = one_node(2);
    options.exit_on_error = true;
    options.exit_timeout.reset();
    ShellFsm fsm{options};
    fsm.begin();
    fsm.on_started();
    EXPECT_THAT(fsm.on_exit(ended(0, 0)), actions(PostTaskExit{ended(0, 0)}));
    const std::string note = "sh: task rank 1 on host h failed (Exit 5) and exit-on-error is set";
    EXPECT_THAT(fsm.on_exit(ended(1, 5 << 8)),
                actions(Log{{LogLevel::fatal, "task-exit", note}}, Raise{note, 5 << 8}));
}

TEST(ShellFsm, EndsWith127Or126WhenATaskCannotStart) {
    struct Row {
        int errnum, code;
    };
    for (const Row row : {Row{ENOENT, 127}, Row{EACCES, 126}}) {
        ShellFsm fsm{one_node(1)};
        fsm.begin();
        const auto out = fsm.on_start_failed(0, Error{row.errnum, "foo: bad"}, 0);
        const std::string note = "task 0 (host h): start failed: foo: bad";
        EXPECT_THAT(out, actions(Log{{LogLevel::fatal, "", note}}, Raise{note, {}},
                                 AbandonStreams{}, Finish{row.code}));
    }
}

TEST(ShellFsm, KillsTheTasksThatRunWhenAnotherCannotStart) {
    ShellFsm fsm{one_node(2)};
    fsm.begin();
    const auto out = fsm.on_start_failed(1, Error{ENOENT}, 1);
    ASSERT_EQ(out.size(), 3u);
    EXPECT_EQ(out[2], ShellAction{action::Signal{9}});
    EXPECT_THAT(fsm.on_exit(ended(0, 9)),
                actions(PostTaskExit{ended(0, 9)}, ArmExitTimer{30}, AbandonStreams{}));
    EXPECT_THAT(fsm.on_done(0), actions(Finish{137}));
}

TEST(ShellFsm, KeepsASignalThatComesTooEarly) {
    ShellFsm fsm{one_node(1)};
    fsm.begin();
    EXPECT_THAT(fsm.on_kill(10), IsEmpty());
    EXPECT_THAT(fsm.on_started(), actions(action::Signal{10}));
}

TEST(ShellFsm, DoesNotWaitForStreamsAfterSigkill) {
    ShellFsm fsm{one_node(1)};
    fsm.begin();
    fsm.on_started();
    fsm.on_exit(ended(0, 0));
    EXPECT_THAT(fsm.on_kill(15), actions(action::Signal{15}));
    EXPECT_THAT(fsm.on_kill(9), actions(action::Signal{9}, AbandonStreams{}));
}

TEST(ShellFsm, WaitsAtTheBarrierAndLeavesItOnAnErrorOrSignal) {
    ShellFsm::Options options = one_node(1);
    options.nnodes = 2;
    {
        ShellFsm fsm{options};
        EXPECT_THAT(fsm.begin(), actions(EnterBarrier{}));
        EXPECT_THAT(fsm.on_barrier({}), actions(StartTasks{}));
    }
    {
        ShellFsm fsm{options};
        fsm.begin();
        EXPECT_THAT(fsm.on_barrier(Error{EIO}), actions(Finish{1}));
    }
    {
        ShellFsm fsm{options};
        fsm.begin();
        EXPECT_THAT(fsm.on_kill(15), actions(Finish{143}));
        EXPECT_THAT(fsm.on_barrier({}), IsEmpty());
    }
}

TEST(ShellFsm, LeaderWaitsForItsFollowers) {
    ShellFsm::Options options = one_node(1);
    options.nnodes = 3;
    ShellFsm fsm{options};
    fsm.begin();
    fsm.on_barrier({});
    fsm.on_started();
    TaskExit remote{0, 2, 7, 0};
    EXPECT_THAT(fsm.on_follower_exit(remote, "h2"),
                actions(PostTaskExit{remote}, ArmExitTimer{30}));
    EXPECT_THAT(fsm.on_follower_complete(2), IsEmpty());
    EXPECT_THAT(fsm.on_exit(ended(0, 0)), IsEmpty());
    EXPECT_THAT(fsm.on_done(0), IsEmpty());
    EXPECT_THAT(fsm.on_follower_complete(1), actions(Finish{0}));
}

TEST(ShellFsm, FollowerTellsItsLeader) {
    ShellFsm::Options options = one_node(2);
    options.shell_rank = 1;
    options.nnodes = 2;
    ShellFsm fsm{options};
    fsm.begin();
    fsm.on_barrier({});
    fsm.on_started();
    EXPECT_THAT(fsm.on_exit(ended(0, 0)), actions(TellExit{ended(0, 0)}));
    EXPECT_THAT(fsm.on_exit(ended(1, 256)), actions(TellExit{ended(1, 256)}));
    EXPECT_THAT(fsm.on_done(0), IsEmpty());
    EXPECT_THAT(fsm.on_done(1), actions(TellComplete{}, Finish{1}));
}

TEST(ShellFsm, EndsTheTasksWhenTheBrokerIsGone) {
    ShellFsm fsm{one_node(1)};
    fsm.begin();
    fsm.on_started();
    EXPECT_THAT(fsm.on_lost_broker(), actions(action::Signal{9}));
    fsm.on_exit(ended(0, 9));
    EXPECT_THAT(fsm.on_done(0), actions(Finish{137}));
}

TEST(ShellFsm, FatalBeforeTheStartFinishesAtOnce) {
    ShellFsm fsm{one_node(1)};
    EXPECT_THAT(fsm.on_fatal({LogLevel::notice, "", "bad"}), actions(Raise{"bad", {}}, Finish{1}));
}

TEST(ShellFsm, FatalLaterKillsTheTasks) {
    ShellFsm fsm{one_node(1)};
    fsm.begin();
    fsm.on_started();
    EXPECT_THAT(fsm.on_fatal({LogLevel::notice, "pmi", "bad"}),
                actions(Raise{"bad", {}}, Log{{LogLevel::fatal, "pmi", "bad"}},
                        action::Signal{9}));
    EXPECT_THAT(fsm.on_fatal({LogLevel::notice, "pmi", "worse"}), IsEmpty());
    fsm.on_exit({0, 0, 4711, 9});
    EXPECT_THAT(fsm.on_done(0), actions(Finish{1}));  // not 137: the failure is the shell's own
}

TEST(TaskExitJson, RoundTrips) {
    const TaskExit exit{1, 5, 4711, 15};
    const auto back = task_exit_from_json(to_json(exit));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, exit);
    EXPECT_EQ(dump_json(to_json(exit)),
              R"({"localid":1,"rank":5,"state":"Exited","pid":4711,"wait_status":15,)"
              R"("signaled":15,"exitcode":143})");
}

}  // namespace
}  // namespace sluice::shell
