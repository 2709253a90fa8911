#include "broker/connector/local_server.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sluice {
namespace {

/// Answers every request and counts them.
class Counter : public Endpoint {
  public:
    explicit Counter(Router& router) : router_(router) {
        EXPECT_TRUE(router_.add_service("count", this));
    }
    void deliver(Message message) override {
        if (message.topic == "count.up") ++requests;  // not the notice that the client is gone
        router_.response(Message::response(message));
    }
    int requests = 0;

  private:
    Router& router_;
};

TEST(LocalServer, TakesAllThatAGoneClientLeftBehind) {
    boost::asio::io_context io;
    Router router{{.rank = Rank{0}, .owner = UserId{::getuid()}}};
    Counter counter{router};
    LocalServer server{io, router, {}};
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    bool gone = false;
    server.adopt(ends[0], {UserId{::getuid()}, role::owner | role::local}, [&] { gone = true; });
    // More than one read takes, so that answers fail while requests still wait.
    constexpr int count = 90;
    std::string bytes;
    for (int i = 0; i < count; ++i) {
        Message request = Message::request("count.up");
        request.set_bytes(std::string(2000, 'x'));
        append_frame(request, bytes);
    }
    int room = 1 << 20;
    ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    ASSERT_EQ(::send(ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT),
              static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    while (!gone && io.run_one() > 0) {
    }
    EXPECT_EQ(counter.requests, count);
    EXPECT_TRUE(gone);
}

TEST(LocalServer, TellsAServiceThatItsClientDoesNotRead) {
    class Flood : public Endpoint {
      public:
        explicit Flood(Router& router) { EXPECT_TRUE(router.add_service("flood", this)); }
        void deliver(Message message) override { got.push_back(std::move(message)); }
        std::vector<Message> got;
    };
    boost::asio::io_context io;
    Router router{{.rank = Rank{0}, .owner = UserId{::getuid()}}};
    Flood flood{router};
    LocalServer server{io, router, {}};
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    server.adopt(ends[0], {UserId{::getuid()}, role::owner | role::local}, [] {});
    Message request = Message::request("flood.begin");
    request.flags |= message_flag::streaming;
    std::string bytes;
    append_frame(request, bytes);
    ASSERT_EQ(::send(ends[1], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    while (flood.got.empty()) io.run_one();

    Message answer = Message::response(flood.got.front());
    answer.set_bytes(std::string(100000, 'x'));
    int sent = 0;
    while (flood.got.size() < 2 && sent++ < 100) {
        router.response(answer);
        io.poll();
    }
    ASSERT_EQ(flood.got.size(), 2u);
    EXPECT_EQ(flood.got[1].topic, "flood.client-slow");
    EXPECT_EQ(flood.got[1].routes, flood.got[0].routes);
    EXPECT_GT(sent, 10);

    std::string buffer(65536, '\0');
    while (flood.got.size() < 3 &&
           (::recv(ends[1], buffer.data(), buffer.size(), MSG_DONTWAIT) > 0 || errno == EAGAIN))
        io.poll();
    ASSERT_EQ(flood.got.size(), 3u);
    EXPECT_EQ(flood.got[2].topic, "flood.client-ready");
    ::close(ends[1]);
    while (flood.got.size() < 4) io.run_one();
    EXPECT_EQ(flood.got[3].topic, "flood.disconnect");
}

}  // namespace
}  // namespace sluice
