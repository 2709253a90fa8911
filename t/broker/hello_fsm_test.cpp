#include "broker/overlay/hello_fsm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::HasSubstr;

TEST(HelloFsm, JoinsWhenTheParentAnswers) {
    HelloFsm fsm;
    ASSERT_TRUE(std::holds_alternative<SendHello>(fsm.begin()));
    const HelloAction action = fsm.on_reply(std::string{"uuid-of-parent"}, 5);
    ASSERT_TRUE(std::holds_alternative<Joined>(action));
    EXPECT_EQ(std::get<Joined>(action).parent_uuid, "uuid-of-parent");
}

TEST(HelloFsm, GivesUpOnlyWhenARetryCannotHelp) {
    for (const int final : {EPERM, EINVAL, EPROTO}) {
        HelloFsm fsm;
        EXPECT_TRUE(std::holds_alternative<Refused>(fsm.on_reply(Error{final, "no"}, 0))) << final;
    }
    HelloFsm fsm;
    EXPECT_TRUE(std::holds_alternative<WaitUntil>(fsm.on_reply(Error{EHOSTUNREACH}, 0)));
}

TEST(HelloFsm, WaitsLongerEachTimeUpToASecond) {
    HelloFsm fsm;
    double last = 0;
    for (int i = 0; i < 10; ++i) {
        const double wait = std::get<WaitUntil>(fsm.on_reply(Error{EAGAIN}, 100)).when - 100;
        EXPECT_GE(wait, last);
        EXPECT_LE(wait, 1.0);
        last = wait;
    }
    EXPECT_DOUBLE_EQ(last, 1.0);
}

class CheckHello : public testing::Test {
  protected:
    Result<void> check(const Hello& hello, std::uint32_t roles = role::owner) {
        return check_hello(hello, {UserId{1000}, roles}, {Rank{0}, topology_, hosts_, version_});
    }
    Topology topology_{*TopologyKind::parse("kary:2"), 4};
    Hostlist hosts_ = *Hostlist::parse("n[0-3]");
    std::int64_t version_ = *hello_version("0.88.0");
    Hello good_{Rank{1}, *hello_version("0.88.7"), "uuid", SubtreeStatus::full, "n1"};
};

TEST_F(CheckHello, AcceptsAChildOfTheSameMinorVersion) { EXPECT_TRUE(check(good_)); }

TEST_F(CheckHello, RefusesWithTheReason) {
    EXPECT_EQ(check(good_, role::user).error().errnum(), EPERM);
    Hello other = good_;
    other.rank = Rank{3};
    EXPECT_THAT(check(other).error().text(), HasSubstr("rank 3 is not a peer of parent 0"));
    other = good_;
    other.hostname = "n2";
    EXPECT_THAT(check(other).error().text(), HasSubstr("hostname n2"));
    other = good_;
    other.version = *hello_version("0.87.0");
    EXPECT_THAT(check(other).error().text(), HasSubstr("version 0.87.0"));
}

TEST(Hello, SurvivesTheWire) {
    const Hello hello{Rank{5}, 22528, "u", SubtreeStatus::partial, "host"};
    const JsonObject payload = encode_hello(hello);
    EXPECT_EQ(*decode_hello(payload), hello);
    EXPECT_EQ(decode_hello(JsonObject{}).error().errnum(), EPROTO);
}

TEST(HelloVersion, HasAByteForEachPart) {
    EXPECT_EQ(*hello_version("0.88.0"), 0x5800);
    EXPECT_EQ(*hello_version("1.2.3-45-gabc"), 0x010203);
    EXPECT_FALSE(hello_version("main"));
    EXPECT_FALSE(hello_version("1.2"));
}

TEST(PeerTable, SumsUpTheStateOfItsSubtrees) {
    PeerTable table(Rank{0}, {Rank{1}, Rank{2}}, 10);
    EXPECT_EQ(table.overall(), SubtreeStatus::partial);
    table.online(Rank{1}, "a", SubtreeStatus::full, 7, 11);
    table.online(Rank{2}, "b", SubtreeStatus::full, 8, 12);
    EXPECT_EQ(table.overall(), SubtreeStatus::full);
    EXPECT_EQ(table.find("b")->rank, Rank{2});
    EXPECT_EQ(table.find_connection(7)->rank, Rank{1});
    table.lost(Rank{1}, "lost connection", 20);
    EXPECT_EQ(table.overall(), SubtreeStatus::degraded);
    EXPECT_EQ(table.find("a"), nullptr);
    EXPECT_EQ(dump_json(table.health(21)),
              R"({"rank":0,"status":"degraded","duration":1.0,"children":[)"
              R"({"rank":1,"status":"lost","duration":1.0,"error":"lost connection"},)"
              R"({"rank":2,"status":"full","duration":9.0}]})");
    table.offline(Rank{1}, 30);
    EXPECT_EQ(table.overall(), SubtreeStatus::partial);
}

TEST(PeerTable, TellsOnceWhoIsTorpid) {
    PeerTable table(Rank{0}, {Rank{1}}, 0);
    table.online(Rank{1}, "a", SubtreeStatus::full, 7, 0);
    EXPECT_TRUE(table.update_torpid(30, 30).empty());
    ASSERT_EQ(table.update_torpid(30, 31).size(), 1u);
    EXPECT_TRUE(table.update_torpid(30, 32).empty());
    table.heard("a", 33);
    const auto changed = table.update_torpid(30, 34);
    ASSERT_EQ(changed.size(), 1u);
    EXPECT_FALSE(changed[0].torpid);
}

}  // namespace
}  // namespace sluice
