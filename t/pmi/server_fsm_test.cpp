#include "pmi/server_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::pmi {
namespace {

using testing::ElementsAre;

class Server : public testing::Test {
  protected:
    Actions say(std::string_view line, std::uint32_t client = 0) {
        return fsm.on_bytes(client, std::string{line} + "\n");
    }
    std::string reply(std::string_view line, std::uint32_t client = 0) {
        const Actions actions = say(line, client);
        if (actions.size() != 1 || !std::holds_alternative<Reply>(actions[0])) return "?";
        return std::get<Reply>(actions[0]).line;
    }
    ServerFsm fsm{{.kvsname = "f1", .universe_size = 8, .clients = 2}};
};

TEST_F(Server, AnswersTheQuestionsOfAStart) {
    EXPECT_EQ(reply("cmd=init pmi_version=1 pmi_subversion=1"),
              "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
    EXPECT_EQ(reply("cmd=init pmi_version=2 pmi_subversion=0"), "cmd=response_to_init rc=-1\n");
    EXPECT_EQ(reply("cmd=init pmi_version=1 pmi_subversion=0"), "cmd=response_to_init rc=-1\n");
    EXPECT_EQ(reply("cmd=get_maxes"),
              "cmd=maxes rc=0 kvsname_max=64 keylen_max=64 vallen_max=1024\n");
    EXPECT_EQ(reply("cmd=get_appnum"), "cmd=appnum rc=0 appnum=0\n");
    EXPECT_EQ(reply("cmd=get_my_kvsname"), "cmd=my_kvsname rc=0 kvsname=f1\n");
    EXPECT_EQ(reply("cmd=get_universe_size"), "cmd=universe_size rc=0 size=8\n");
}

TEST_F(Server, AcceptsKeysAndValuesUpToTheLimits) {
    const std::string k63(63, 'k'), v1023(1023, 'v');
    EXPECT_EQ(reply("cmd=put kvsname=x key=" + k63 + " value=1"), "cmd=put_result rc=0\n");
    EXPECT_EQ(reply("cmd=put kvsname=x key=0" + k63 + " value=1"), "cmd=put_result rc=5\n");
    EXPECT_EQ(reply("cmd=put kvsname=x key=b value=" + v1023), "cmd=put_result rc=0\n");
    EXPECT_EQ(reply("cmd=put kvsname=x key=c value=0" + v1023), "cmd=put_result rc=7\n");
    EXPECT_EQ(reply("cmd=put kvsname=" + k63 + "x key=c value=0"), "cmd=put_result rc=8\n");
    EXPECT_EQ(reply("cmd=get kvsname=x key=b"), "cmd=get_result rc=0 value=" + v1023 + "\n");
    EXPECT_EQ(reply("cmd=get kvsname=x key=missing"), "cmd=get_result rc=4\n");
}

TEST_F(Server, RefusesMoreThanItCanHold) {
    const std::string value(1000, 'v');
    std::size_t accepted = 0;
    while (reply(fmt::format("cmd=put kvsname=x key=k{} value={}", accepted, value)) ==
           "cmd=put_result rc=0\n")
        ++accepted;
    EXPECT_NEAR(static_cast<double>(accepted * 1006), static_cast<double>(ServerFsm::put_bytes_max),
                70000);
    EXPECT_EQ(reply("cmd=put kvsname=x key=more value=" + value), "cmd=put_result rc=2\n");
    EXPECT_EQ(reply("cmd=put kvsname=x key=k1 value=" + value), "cmd=put_result rc=0\n");
}

TEST_F(Server, ExchangesAtTheBarrierAllButLocalKeys) {
    reply("cmd=put kvsname=x key=a value=1");
    reply("cmd=put kvsname=x key=local::n value=2");
    EXPECT_TRUE(say("cmd=barrier_in").empty());
    EXPECT_THAT(say("cmd=barrier_in", 1), ElementsAre(Action{Exchange{{{"a", "1"}}}}));
    EXPECT_THAT(fsm.on_exchange({{"a", "1"}, {"b", "3"}}),
                ElementsAre(Action{Reply{0, "cmd=barrier_out rc=0\n"}},
                            Action{Reply{1, "cmd=barrier_out rc=0\n"}}));
    EXPECT_EQ(reply("cmd=get key=b", 1), "cmd=get_result rc=0 value=3\n");
    EXPECT_EQ(reply("cmd=get key=local::n", 1), "cmd=get_result rc=0 value=2\n");
    say("cmd=barrier_in");
    EXPECT_THAT(say("cmd=barrier_in", 1), ElementsAre(Action{Exchange{}}));
    EXPECT_THAT(fsm.on_exchange_failed(), ElementsAre(Action{Reply{0, "cmd=barrier_out rc=-1\n"}},
                                                      Action{Reply{1, "cmd=barrier_out rc=-1\n"}}));
}

TEST_F(Server, KnowsPreloadedKeysAndDropsTooLongOnes) {
    fsm.preload("flux.taskmap", "{}");
    fsm.preload("big", std::string(1024, 'x'));
    EXPECT_EQ(reply("cmd=get key=flux.taskmap"), "cmd=get_result rc=0 value={}\n");
    EXPECT_EQ(reply("cmd=get key=big"), "cmd=get_result rc=4\n");
}

TEST_F(Server, ClosesAfterFinalize) {
    EXPECT_THAT(say("cmd=finalize"),
                ElementsAre(Action{Reply{0, "cmd=finalize_ack rc=0\n"}}, Action{Close{0}}));
}

TEST_F(Server, PassesAbortOn) {
    EXPECT_THAT(say("cmd=abort exitcode=42 error_msg=out of luck", 1),
                ElementsAre(Action{Abort{1, 42, "out of luck"}}));
    EXPECT_THAT(say("cmd=abort exit_code=3"), ElementsAre(Action{Abort{0, 3, ""}}));
}

TEST_F(Server, RefusesSpawnAfterItsLastLine) {
    EXPECT_TRUE(say("mcmd=spawn\nnprocs=1\ncmd=init").empty());
    EXPECT_EQ(reply("endcmd"), "cmd=spawn_result rc=-1\n");
    EXPECT_EQ(reply("cmd=publish_name service=x port=y"),
              "cmd=publish_result rc=-1 msg=command not implemented\n");
    EXPECT_EQ(reply("cmd=lookup_name service=x"),
              "cmd=lookup_result rc=-1 msg=command not implemented\n");
}

TEST_F(Server, ReportsAnUnknownCommandOnceAndStopsListening) {
    EXPECT_THAT(say("cmd=nosuch"), ElementsAre(Action{ProtocolError{0, "cmd=nosuch"}}));
    EXPECT_TRUE(say("cmd=get_appnum").empty());
    EXPECT_EQ(reply("cmd=get_appnum", 1), "cmd=appnum rc=0 appnum=0\n");
}

TEST_F(Server, RefusesEndlessLinesAndASecondBarrier) {
    EXPECT_THAT(fsm.on_bytes(0, std::string(1300, 'x')),
                ElementsAre(Action{ProtocolError{0, "line too long"}}));
    say("cmd=barrier_in", 1);
    EXPECT_THAT(say("cmd=barrier_in", 1), ElementsAre(Action{ProtocolError{1, "cmd=barrier_in"}}));
}

}  // namespace
}  // namespace sluice::pmi
