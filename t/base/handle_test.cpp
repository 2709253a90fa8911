#include "base/rpc/handle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

namespace sluice {
namespace {

using testing::ElementsAre;

/// The broker's end of a socket pair: requests are read by hand, replies written ahead of time
/// wait in the socket until the handle looks for them.
class HandleTest : public testing::Test {
  protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        handle_.emplace(Handle::adopt(ends[0]));
        peer_ = ends[1];
    }
    void TearDown() override { hang_up(); }

    void hang_up() {
        if (peer_ >= 0) ::close(peer_);
        peer_ = -1;
    }

    void say(const Message& message) {
        const std::string bytes = encode_frame(message);
        ASSERT_EQ(::write(peer_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }

    void reply(Matchtag tag, const JsonObject& payload, int errnum = 0, bool streaming = false) {
        Message message;
        message.type = MessageType::response;
        message.topic = "x.y";
        message.aux1 = static_cast<std::uint32_t>(errnum);
        message.aux2 = tag;
        if (streaming) message.flags |= message_flag::streaming;
        if (!payload.empty()) message.set_json(payload);
        say(message);
    }

    /// Next message of the handle, which must already have been flushed.
    Message heard() {
        for (;;) {
            const auto frame = next_frame(incoming_);
            EXPECT_TRUE(frame);
            if (frame && *frame) {
                auto message = decode_body((*frame)->body);
                incoming_.erase(0, (*frame)->bytes_used);
                return message.value_or({});
            }
            char buffer[4096];
            const ssize_t got = ::read(peer_, buffer, sizeof buffer);
            EXPECT_GT(got, 0);
            if (got <= 0) return {};
            incoming_.append(buffer, static_cast<std::size_t>(got));
        }
    }

    std::optional<Handle> handle_;
    int peer_ = -1;
    std::string incoming_;
};

TEST_F(HandleTest, CallReturnsThePayload) {
    reply(1, {{"value", "0"}});
    const auto answer = handle_->call("attr.get", {{"name", "rank"}});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->at("value"), "0");
    const Message request = heard();
    EXPECT_EQ(request.topic, "attr.get");
    EXPECT_EQ(request.text(), R"({"name":"rank"})");
    EXPECT_EQ(request.nodeid(), nodeid_any);
    EXPECT_EQ(request.matchtag(), 1u);
}

TEST_F(HandleTest, CallReturnsTheServicesError) {
    Message message;
    message.type = MessageType::response;
    message.topic = "x.y";
    message.aux1 = ENOENT;
    message.aux2 = 1;
    message.set_text("no such thing");
    say(message);
    const auto answer = handle_->call("x.y");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), (Error{ENOENT, "no such thing"}));
}

TEST_F(HandleTest, TagsAreUsedAgain) {
    reply(1, {});
    EXPECT_TRUE(handle_->call("x.y"));
    reply(1, {});
    EXPECT_TRUE(handle_->call("x.y"));
}

TEST_F(HandleTest, StreamsUntilTheErrorThatEndsThem) {
    std::vector<std::int64_t> seen;
    std::optional<int> end;
    const Matchtag tag = handle_->send("x.y", {}, {.streaming = true}, [&](const Reply& got) {
        if (!got.ok()) {
            end = static_cast<int>(got.message.errnum());
        } else {
            seen.push_back(got.json()->at("n").as_int64());
        }
    });
    EXPECT_TRUE(seen.empty());
    for (int n = 1; n <= 3; ++n) reply(tag, {{"n", n}}, 0, true);
    reply(tag, {}, ENODATA, true);
    EXPECT_TRUE(handle_->run_until([&] { return end.has_value(); }));
    EXPECT_THAT(seen, ElementsAre(1, 2, 3));
    EXPECT_EQ(end, ENODATA);
}

TEST_F(HandleTest, CancelNamesTheTagAndWantsNoReply) {
    const Matchtag tag = handle_->send("x.watch", {}, {.streaming = true}, {});
    handle_->cancel("x.cancel", tag);
    EXPECT_TRUE(handle_->flush());
    EXPECT_TRUE(heard().has(message_flag::streaming));
    const Message cancel = heard();
    EXPECT_EQ(cancel.topic, "x.cancel");
    EXPECT_EQ(cancel.text(), fmt::format(R"({{"matchtag":{}}})", tag));
    EXPECT_TRUE(cancel.has(message_flag::noresponse));
    EXPECT_EQ(cancel.matchtag(), 0u);
}

TEST_F(HandleTest, ForgottenRpcsCallNobody) {
    bool called = false, other = false;
    const Matchtag tag = handle_->send("x.y", {}, {}, [&](const Reply&) { called = true; });
    const Matchtag next = handle_->send("x.y", {}, {}, [&](const Reply&) { other = true; });
    handle_->forget(tag);
    reply(tag, {});
    reply(next, {});
    EXPECT_TRUE(handle_->run_until([&] { return other; }));
    EXPECT_FALSE(called);
}

TEST_F(HandleTest, EventsReachTheSubscriptionOfTheirPrefix) {
    reply(1, {});
    std::vector<std::string> topics;
    ASSERT_TRUE(handle_->subscribe("job", [&](const Message& event) {
        topics.push_back(event.topic);
    }));
    say(Message::event("heartbeat.pulse"));
    say(Message::event("job-exception"));
    EXPECT_TRUE(handle_->run_until([&] { return !topics.empty(); }));
    EXPECT_THAT(topics, ElementsAre("job-exception"));
}

TEST_F(HandleTest, AServiceGetsRequestsAndAnswers) {
    reply(1, {});
    bool served = false;
    ASSERT_TRUE(handle_->add_service("mine", [&](const Message& request) {
        Message response = Message::response(request);
        response.set_json({{"ok", true}});
        handle_->send_message(response);
        served = true;
    }));
    EXPECT_EQ(heard().topic, "service.add");
    Message request = Message::request("mine.do");
    request.aux2 = 77;
    say(request);
    EXPECT_TRUE(handle_->run_until([&] { return served; }));
    EXPECT_TRUE(handle_->flush());
    const Message response = heard();
    EXPECT_EQ(response.type, MessageType::response);
    EXPECT_EQ(response.matchtag(), 77u);
    EXPECT_EQ(response.text(), R"({"ok":true})");
}

TEST_F(HandleTest, ALostConnectionFailsWhatIsPending) {
    std::vector<int> errors;
    bool lost = false;
    handle_->on_lost([&] { lost = true; });
    for (int i = 0; i < 2; ++i)
        handle_->send("x.y", {}, {}, [&](const Reply& got) {
            errors.push_back(static_cast<int>(got.message.errnum()));
        });
    hang_up();
    EXPECT_TRUE(handle_->run_until([&] { return errors.size() == 2; }));
    EXPECT_THAT(errors, ElementsAre(ECONNRESET, ECONNRESET));
    EXPECT_TRUE(lost);
    EXPECT_FALSE(handle_->connected());
    EXPECT_EQ(handle_->call("x.y").error().errnum(), ECONNRESET);
}

TEST(HandleUri, GivesThePathOrSaysWhatIsWrong) {
    EXPECT_EQ(*local_socket_path("local:///run/flux/local"), "/run/flux/local");
    EXPECT_EQ(local_socket_path("ssh://host/x").error().text(),
              "Unable to find connector name 'ssh'");
    EXPECT_FALSE(local_socket_path("local://" + std::string(200, 'x')));
    EXPECT_EQ(Handle::open("local:///nonexistent/socket").error().errnum(), ENOENT);
}

}  // namespace
}  // namespace sluice
