#include "broker/router/router.hpp"

#include <gtest/gtest.h>

#include "broker/connector/access.hpp"
#include "broker/connector/client_notices.hpp"
#include "broker/service/service.hpp"

namespace sluice {
namespace {

class Recorder : public Endpoint {
  public:
    void deliver(Message message) override { got.push_back(std::move(message)); }
    std::vector<Message> got;
};

/// A broker of rank 1 between parent "P" (rank 0) and child "C" (rank 3), itself "me".
class FakeLink : public TbonLink {
  public:
    const std::string& uuid() const override { return own; }
    const std::string& parent_uuid() const override { return parent; }
    std::optional<Rank> child_toward(Rank target) const override {
        return target == Rank{3} ? std::optional{Rank{3}} : std::nullopt;
    }
    std::optional<std::string> child_uuid(Rank) const override {
        return child_online ? std::optional<std::string>{"C"} : std::nullopt;
    }
    bool is_child(std::string_view uuid) const override { return uuid == "C"; }
    Result<void> send_parent(const Message& message) override {
        if (parent.empty()) return Error{EHOSTUNREACH};
        up.push_back(message);
        return {};
    }
    Result<void> send_child(const Message& message) override {
        down.push_back(message);
        return {};
    }
    void send_children(const Message& event) override { events.push_back(event); }

    std::string own = "me", parent = "P";
    bool child_online = true;
    std::vector<Message> up, down, events;
};

struct RouterFixture {
    explicit RouterFixture(std::uint32_t rank)
        : router({.rank = Rank{rank}, .owner = UserId{1000}}) {
        router.set_link(&link);
        route = router.attach(&client);
    }
    void send(std::string topic, std::uint32_t nodeid = nodeid_any, std::uint8_t flags = 0) {
        Message request = Message::request(std::move(topic), nodeid);
        request.flags |= flags;
        request.aux2 = 7;
        request.routes = {route};
        router.request(std::move(request));
    }
    Router router;
    FakeLink link;
    Recorder client;
    std::string route;
};

TEST(Router, AnswersEnosysOnRankZeroAndNamesTheTopic) {
    RouterFixture f{0};
    f.send("nosuch.method");
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_EQ(f.client.got[0].errnum(), static_cast<unsigned>(ENOSYS));
    EXPECT_EQ(f.client.got[0].text(), "No service matching nosuch.method is registered");
    EXPECT_TRUE(f.client.got[0].routes.empty());
}

TEST(Router, SendsUpWhatItDoesNotServe) {
    RouterFixture f{1};
    f.send("kvs.lookup");
    ASSERT_EQ(f.link.up.size(), 1u);
    EXPECT_EQ(f.link.up[0].routes, std::vector<std::string>{f.route});
    f.router.from_parent(Message::response(f.link.up[0]));
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_EQ(f.client.got[0].matchtag(), 7u);
}

TEST(Router, PushesOwnAndChildUuidOnTheWayDownAndPopsThemOnTheWayBack) {
    RouterFixture f{1};
    f.send("broker.ping", 3);
    ASSERT_EQ(f.link.down.size(), 1u);
    EXPECT_EQ(f.link.down[0].routes, (std::vector<std::string>{f.route, "me", "C"}));
    f.router.from_child(Message::response(f.link.down[0]));
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_TRUE(f.client.got[0].routes.empty());
}

TEST(Router, HonoursUpstreamBeforeALocalService) {
    RouterFixture f{1};
    Recorder service;
    ASSERT_TRUE(f.router.add_service("broker", &service));
    f.send("broker.ping", 1, message_flag::upstream);
    EXPECT_EQ(f.link.up.size(), 1u);
    EXPECT_TRUE(service.got.empty());
}

TEST(Router, FailsOpenRequestsOfALostChildOnce) {
    RouterFixture f{1};
    f.send("broker.ping", 3);
    f.router.peer_lost("C");
    f.router.peer_lost("C");
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_EQ(f.client.got[0].errnum(), static_cast<unsigned>(EHOSTUNREACH));
}

TEST(Router, DoesNotFailWhatTheLostPeerHadAnswered) {
    RouterFixture f{1};
    f.send("kvs.lookup");
    f.router.from_parent(Message::response(f.link.up[0]));
    f.router.peer_lost("P");
    EXPECT_EQ(f.client.got.size(), 1u);
}

TEST(Router, RefusesARequestForAnOfflineChild) {
    RouterFixture f{1};
    f.link.child_online = false;
    f.send("broker.ping", 3);
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_EQ(f.client.got[0].errnum(), static_cast<unsigned>(EHOSTUNREACH));
}

TEST(Router, NumbersEventsOnRankZeroAndDeliversByPrefixOnce) {
    RouterFixture f{0};
    f.router.subscribe(&f.client, "demo.");
    f.router.subscribe(&f.client, "demo.one");
    EXPECT_EQ(f.router.event(Message::event("other")), 1u);
    EXPECT_EQ(f.router.event(Message::event("demo.one")), 2u);
    ASSERT_EQ(f.client.got.size(), 1u);
    EXPECT_EQ(f.client.got[0].sequence(), 2u);
    EXPECT_EQ(f.link.events.size(), 2u);
}

TEST(Router, SendsAFollowersEventsUpUnpublished) {
    RouterFixture f{1};
    f.router.subscribe(&f.client, "");
    f.router.event(Message::event("demo"));
    EXPECT_EQ(f.link.up.size(), 1u);
    EXPECT_TRUE(f.client.got.empty());
}

TEST(Router, ForgetsADetachedClientsServicesAndSubscriptions) {
    RouterFixture f{0};
    ASSERT_TRUE(f.router.add_service("mine", &f.client));
    f.router.subscribe(&f.client, "x");
    f.router.detach(f.route, &f.client);
    EXPECT_FALSE(f.router.has_service("mine"));
    f.router.event(Message::event("x"));
    EXPECT_TRUE(f.client.got.empty());
}

TEST(Access, LetsOnlyTheOwnerInByDefault) {
    AccessPolicy policy{.owner = UserId{1000}};
    EXPECT_TRUE(admit(policy, UserId{1000}));
    EXPECT_FALSE(admit(policy, UserId{0}));
    EXPECT_EQ(admit(policy, UserId{1001}).error().errnum(), EPERM);
}

TEST(Access, OverwritesWhatAGuestClaims) {
    Message message = Message::request("x.y");
    message.cred = {UserId{0}, role::owner};
    stamp({UserId{1001}, role::user | role::local}, message);
    EXPECT_EQ(message.cred, (Credential{UserId{1001}, role::user | role::local}));
}

TEST(ClientNotices, NameEachServiceAndNodeOnce) {
    ClientNotices notices;
    Message request = Message::request("job-info.eventlog-watch");
    request.routes = {"client"};
    notices.used(request);
    notices.used(request);
    request.topic = "job-info.lookup";
    notices.used(request);
    request.aux1 = 0;
    notices.used(request);
    request.flags |= message_flag::noresponse;
    request.topic = "silent.x";
    notices.used(request);
    const auto messages = notices.take();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].topic, "job-info.disconnect");
    EXPECT_TRUE(messages[0].has(message_flag::noresponse));
    EXPECT_EQ(messages[0].routes, std::vector<std::string>{"client"});
}

TEST(ClientNotices, TellThePaceToThoseThatStream) {
    ClientNotices notices;
    Message request = Message::request("job-info.lookup");
    request.routes = {"client"};
    notices.used(request);
    EXPECT_TRUE(notices.pace(true).empty());
    request.topic = "job-info.eventlog-watch";
    request.flags |= message_flag::streaming;
    notices.used(request);
    ASSERT_EQ(notices.pace(true).size(), 1u);
    EXPECT_EQ(notices.pace(true)[0].topic, "job-info.client-slow");
    EXPECT_EQ(notices.pace(false)[0].topic, "job-info.client-ready");
    EXPECT_TRUE(notices.pace(false)[0].has(message_flag::noresponse));
    EXPECT_EQ(notices.pace(false)[0].routes, std::vector<std::string>{"client"});
    EXPECT_EQ(notices.take()[0].topic, "job-info.disconnect");
}

class EchoService : public RpcService<EchoService> {
  public:
    using RpcService::RpcService;
    static const RpcTable<EchoService> rpcs;
    void echo(Request request, const JsonObject& payload) { request.respond(payload); }
};
const RpcTable<EchoService> EchoService::rpcs{
    {"echo", Caller::owner, Body::json, &EchoService::echo},
};

TEST(Service, ChecksRolePayloadAndMethod) {
    RouterFixture f{0};
    EchoService service{f.router, "demo"};
    const auto errnum_of = [&](std::string topic, std::uint32_t rolemask, const char* payload) {
        Message request = Message::request(std::move(topic));
        request.routes = {f.route};
        request.cred = {UserId{1000}, rolemask};
        if (payload) request.set_text(payload);
        f.router.request(std::move(request));
        return static_cast<int>(f.client.got.back().errnum());
    };
    EXPECT_EQ(errnum_of("demo.echo", role::owner, "{}"), 0);
    EXPECT_EQ(errnum_of("demo.echo", role::user, "{}"), EPERM);
    EXPECT_EQ(errnum_of("demo.echo", role::owner, nullptr), EPROTO);
    EXPECT_EQ(errnum_of("demo.echo", role::owner, "[]"), EPROTO);
    EXPECT_EQ(errnum_of("demo.nosuch", role::owner, "{}"), ENOSYS);
    EXPECT_EQ(errnum_of("demo.ping", role::user, "{\"seq\":1}"), 0);
}

}  // namespace
}  // namespace sluice
