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

}  // namespace
}  // namespace sluice
