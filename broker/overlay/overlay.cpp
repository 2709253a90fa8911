// Messages of the link itself: requests overlay.hello and overlay.goodbye, and control messages
//   0 heartbeat   child to parent when idle (and as a probe, either way)
//   1 status      child to parent: the state of its subtree changed
//   2 disconnect  parent to child: we do not know each other
//   3 broken      child to parent: our connection broke, and with it what was under way is lost
#include "broker/overlay/overlay.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>

#include "base/rpc/handle.hpp"
#include "broker/overlay/interface.hpp"

namespace sluice {
namespace {

enum Control : int {
    control_heartbeat = 0,
    control_status = 1,
    control_disconnect = 2,
    control_broken = 3,
};

/// A broken connection is looked at again after this long: its number may be in use again already.
constexpr auto probe_delay = std::chrono::milliseconds(5);
/// A parent that does not answer our goodbye is not waited for.
constexpr auto goodbye_wait = std::chrono::seconds(1);

double now() { return monotonic_seconds(); }

}  // namespace

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

Overlay::Overlay(boost::asio::io_context& io, Router& router, Logger& log, Options options)
    : io_(io),
      router_(router),
      log_(log),
      options_(std::move(options)),
      context_(io, {.io_threads = options_.io_threads,
                    .on_refused =
                        [this](const std::string& address, const std::string& key) {
                            log_once("key " + address + key,
                                     fmt::format("refused {}: its key {} is not allowed; use the "
                                                 "certificate of this instance",
                                                 address, key));
                        }}),
      children_(options_.rank, options_.topology.children(options_.rank), now()),
      hello_timer_(io),
      keep_alive_timer_(io),
      probe_timer_(io) {
    keep_alive();
}

Overlay::~Overlay() = default;

std::string Overlay::peer_name(Rank rank) const {
    return fmt::format("{} (rank {})", options_.hosts[rank.value], rank);
}

void Overlay::log_once(const std::string& key, const std::string& text) {
    if (logged_.insert(key).second) log_.err("overlay", "{}", text);
}

Result<std::string> Overlay::bind(const std::string& endpoint) {
    SLUICE_CHECK(check_bind_endpoint(endpoint));
    ZSocket::Options socket{.kind = ZSocket::Kind::router,
                            .keys = options_.keys,
                            .receive_limit = options_.child_rcvhwm,
                            .tcp_user_timeout = options_.tcp_user_timeout,
                            .ipv6 = options_.ipv6};
    ZSocket::Callbacks callbacks{
        .on_message = [this](Message message,
                             int connection) { on_child_message(std::move(message), connection); },
        .on_event = [this](const LinkEvent& event) { on_child_event(event); }};
    SLUICE_TRY(child_socket_,
               ZSocket::open(io_, context_, std::move(socket), std::move(callbacks)));
    return child_socket_->bind(endpoint);
}

void Overlay::set_parent(const std::string& endpoint, const std::string& public_key) {
    parent_endpoint_ = endpoint;
    parent_key_ = public_key;
}

// ---- towards the parent ----

void Overlay::join() {
    ZSocket::Options socket{.kind = ZSocket::Kind::dealer,
                            .keys = options_.keys,
                            .server_key = parent_key_,
                            .identity = options_.uuid,
                            .tcp_user_timeout = options_.tcp_user_timeout,
                            .connect_timeout = options_.connect_timeout,
                            .ipv6 = true};
    ZSocket::Callbacks callbacks{
        .on_message = [this](Message message, int) { on_parent_message(std::move(message)); },
        .on_event = [this](const LinkEvent& event) { on_parent_event(event); }};
    auto opened = ZSocket::open(io_, context_, std::move(socket), std::move(callbacks));
    if (!opened) return hooks_.parent_lost(opened.error());
    parent_socket_ = *std::move(opened);
    finder_ = std::make_unique<ParentFinder>(io_, *parent_socket_, [this] {
        on_parent_event({LinkEvent::Kind::retrying});
    });
    if (auto started = finder_->start(parent_endpoint_); !started)
        hooks_.parent_lost(started.error());
}

void Overlay::on_parent_event(const LinkEvent& event) {
    const std::string parent = peer_name(*options_.topology.parent(options_.rank));
    switch (event.kind) {
        case LinkEvent::Kind::connected:
            parent_connected_ = true;
            finder_->on_connected();
            // It sends us away, whether it has forgotten us or has not noticed anything: nobody
            // knows what did not arrive. t: simulate_cluster --first=1393 --seeds=1
            if (!parent_uuid_.empty())
                return send_control(*parent_socket_, {}, control_broken, 0);
            return perform(hello_.begin());
        case LinkEvent::Kind::retrying:
            finder_->on_lost();
            if (parent_uuid_.empty())
                log_once("retry " + parent_trouble(),
                         fmt::format("parent {} at {}: {}; trying on", parent, parent_endpoint_,
                                     parent_trouble()));
            return;
        case LinkEvent::Kind::handshake_failed:
            log_once("handshake",
                     fmt::format("parent {} at {} refused us; do both use the same certificate?",
                                 parent, parent_endpoint_));
            return;
        case LinkEvent::Kind::disconnected:
            parent_connected_ = false;
            if (!leaving_) finder_->on_lost();
            if (parent_uuid_.empty() || leaving_) return;
            log_.err("overlay", "lost the connection to parent {}; failing open requests", parent);
            return router_.peer_lost(parent_uuid_);
    }
}

std::string Overlay::parent_trouble() const {
    return finder_ && finder_->unresolved()
               ? "its name has no address yet; are its pod and service up, and is connect right?"
               : "it does not answer yet; is its broker up?";
}

void Overlay::perform(HelloAction action) {
    if (std::holds_alternative<SendHello>(action)) return send_hello();
    if (const auto* refused = std::get_if<Refused>(&action))
        return hooks_.parent_lost(refused->why.in("hello refused by parent"));
    if (const auto* wait = std::get_if<WaitUntil>(&action)) {
        hello_timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(wait->when - now())));
        hello_timer_.async_wait([this](boost::system::error_code error) {
            if (!error) perform(hello_.begin());
        });
        return;
    }
    parent_uuid_ = std::get<Joined>(action).parent_uuid;
    std::erase_if(logged_, [](const std::string& key) { return key.starts_with("retry"); });
    // Children may have come since the hello told our status.
    send_control(*parent_socket_, {}, control_status, static_cast<int>(children_.overall()));
    hooks_.joined();
}

void Overlay::send_hello() {
    Message request = Message::request("overlay.hello");
    request.flags |= message_flag::route;
    request.cred = {router_.owner(), role::owner};
    request.aux2 = 1;
    request.set_json(encode_hello({.rank = options_.rank,
                                   .version = options_.version,
                                   .uuid = options_.uuid,
                                   .status = children_.overall(),
                                   .hostname = options_.hostname}));
    (void)parent_socket_->send(request);
}

void Overlay::on_parent_message(Message message) {
    if (message.type == MessageType::control) {
        if (message.aux1 == control_disconnect)
            hooks_.parent_lost(fail(EHOSTUNREACH, "disconnected by parent {}: it does not know us "
                                                  "(any more); it was started again, or another "
                                                  "broker has our name",
                                    peer_name(*options_.topology.parent(options_.rank))));
        return;
    }
    if (parent_uuid_.empty()) {
        if (message.type != MessageType::response || message.topic != "overlay.hello") return;
        const Reply reply{message};
        const auto payload = reply.json();
        if (!payload) return perform(hello_.on_reply(payload.error(), now()));
        JsonReader in{*payload};
        const std::string uuid = in.string("uuid");
        return perform(hello_.on_reply(in ? Result<std::string>{uuid} : in.error(), now()));
    }
    if (message.type == MessageType::response && message.topic == "overlay.goodbye" &&
        message.routes.empty()) {
        if (auto done = std::exchange(goodbye_done_, {})) done();
        return;
    }
    if (message.type == MessageType::event) message.flags &= ~message_flag::route;
    trace(MessageTrace::Way::received, parent_rank(), message);
    router_.from_parent(std::move(message));
}

void Overlay::goodbye(std::function<void()> done) {
    leaving_ = true;
    goodbye_done_ = std::move(done);
    Message request = Message::request("overlay.goodbye");
    request.flags |= message_flag::route;
    request.cred = {router_.owner(), role::owner};
    request.aux2 = 1;
    const bool sent = !parent_uuid_.empty() && parent_connected_ && send_parent(request);
    hello_timer_.expires_after(sent ? goodbye_wait : std::chrono::seconds(0));
    hello_timer_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        if (auto late = std::exchange(goodbye_done_, {})) late();
    });
}

void Overlay::disconnect_parent(const std::string& reason) {
    if (parent_uuid_.empty()) return;
    hooks_.parent_lost(fail(EHOSTUNREACH, "disconnected from parent: {}", reason));
}

Result<void> Overlay::send_parent(const Message& message) {
    if (!parent_socket_ || parent_uuid_.empty() || !parent_connected_) return Error{EHOSTUNREACH};
    sent_to_parent_ = now();
    trace(MessageTrace::Way::sent, parent_rank(), message);
    return parent_socket_->send(message);
}

// ---- towards the children ----

std::optional<Rank> Overlay::child_toward(Rank target) const {
    return options_.topology.child_toward(options_.rank, target);
}

std::optional<std::string> Overlay::child_uuid(Rank child) const {
    const Peer* peer = children_.find(child);
    if (!peer || !peer->online()) return std::nullopt;
    return peer->uuid;
}

bool Overlay::is_child(std::string_view uuid) const { return children_.find(uuid) != nullptr; }

void Overlay::on_child_message(Message message, int connection) {
    if (message.routes.empty()) return;
    const std::string uuid = message.routes.back();
    const Peer* peer = children_.find(uuid);
    if (message.type == MessageType::request && message.topic == "overlay.hello" &&
        message.routes.size() == 1)
        return on_hello(std::move(message), connection);
    const bool broken = message.type == MessageType::control && message.aux1 == control_broken;
    if (peer && broken) lose_child(peer->rank, "its connection broke");
    if (!peer || broken) return send_control(*child_socket_, uuid, control_disconnect, 0);
    children_.heard(uuid, now());
    if (message.type == MessageType::control) return on_child_control(uuid, message);
    if (message.type == MessageType::request && message.topic == "overlay.goodbye" &&
        message.routes.size() == 1)
        return on_goodbye(message, peer->rank);
    trace(MessageTrace::Way::received, peer->rank.value, message);
    router_.from_child(std::move(message));
}

void Overlay::on_hello(Message message, int connection) {
    const auto payload = parse_json_object(message.text());
    const Result<Hello> hello = payload ? decode_hello(*payload) : Result<Hello>{payload.error()};
    Result<void> checked;
    if (!hello) {
        checked = hello.error();
    } else if (hello->rank.value >= options_.topology.size()) {
        checked = fail(EINVAL, "rank {} is out of range, the instance has {} brokers", hello->rank,
                       options_.topology.size());
    } else {
        checked = check_hello(*hello, message.cred,
                              {options_.rank, options_.topology, options_.hosts, options_.version});
    }
    if (!checked) {
        log_.err("overlay", "refused hello: {}", checked.error().text());
        const Error error = checked.error();
        return respond(message, nullptr, &error);
    }
    const SubtreeStatus before = children_.overall();
    if (const Peer* old = children_.find(hello->rank); old->online())
        lose_child(hello->rank,
                   "reconnected after crash, dropping old connection state (unless two hosts have "
                   "this name)");
    children_.online(hello->rank, hello->uuid, hello->status, connection, now());
    const JsonObject reply{{"uuid", options_.uuid}, {"rank", options_.rank.value}};
    respond(message, &reply, nullptr);
    hooks_.children_changed();
    status_changed(before);
}

void Overlay::on_goodbye(const Message& message, Rank child) {
    respond(message, nullptr, nullptr);
    const SubtreeStatus before = children_.overall();
    const std::string uuid = children_.find(child)->uuid;
    children_.offline(child, now());
    router_.peer_lost(uuid);
    hooks_.ranks_lost(options_.topology.subtree(child), "left the instance");
    hooks_.children_changed();
    status_changed(before);
}

void Overlay::respond(const Message& request, const JsonObject* payload, const Error* error) {
    Message response = Message::response(request, error ? error->errnum() : 0);
    response.cred = {router_.owner(), role::owner};
    if (error && error->has_text()) response.set_text(error->text());
    if (payload) response.set_json(*payload);
    (void)child_socket_->send(response);
}

void Overlay::on_child_control(const std::string& uuid, const Message& message) {
    if (message.aux1 != control_status) return;
    const SubtreeStatus before = children_.overall();
    children_.status(uuid, static_cast<SubtreeStatus>(message.aux2), now());
    status_changed(before);
}

void Overlay::on_child_event(const LinkEvent& event) {
    if (event.kind == LinkEvent::Kind::handshake_failed) {
        const std::string who = event.peer.empty() ? "a peer" : event.peer;
        // One line an address: ports differ with each attempt.
        return log_once("handshake " + who.substr(0, who.rfind(':')) + event.text,
                        fmt::format("refused {}: {}", who, event.text));
    }
    if (event.kind != LinkEvent::Kind::disconnected) return;
    const Peer* peer = children_.find_connection(event.connection);
    if (!peer) return;
    probe_timer_.expires_after(probe_delay);
    probe_timer_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        for (const Idset::Id rank : children_.online_ranks().to_vector()) probe(Rank{rank});
    });
}

void Overlay::probe(Rank child) {
    Message message;
    message.type = MessageType::control;
    message.flags |= message_flag::route;
    message.aux1 = control_heartbeat;
    message.routes = {children_.find(child)->uuid};
    if (!child_socket_->send(message)) lose_child(child, "lost connection");
}

void Overlay::lose_child(Rank child, const std::string& reason) {
    const Peer* peer = children_.find(child);
    if (!peer || !peer->online()) return;
    const std::string uuid = peer->uuid;
    const SubtreeStatus before = children_.overall();
    children_.lost(child, reason, now());
    log_.err("overlay", "{} {}", peer_name(child), reason);
    router_.peer_lost(uuid);
    hooks_.ranks_lost(options_.topology.subtree(child), reason);
    hooks_.children_changed();
    status_changed(before);
}

Result<void> Overlay::disconnect_child(Rank child, const std::string& reason) {
    const Peer* peer = children_.find(child);
    if (!peer || !peer->online())
        return fail(ENOENT, "failed to lookup rank {}, or it is offline", child);
    send_control(*child_socket_, peer->uuid, control_disconnect, 0);
    lose_child(child, reason);
    return {};
}

Result<void> Overlay::send_child(const Message& message) {
    if (!child_socket_) return Error{EHOSTUNREACH};
    const Peer* peer = children_.find(message.routes.back());
    if (peer && message.type != MessageType::event)
        trace(MessageTrace::Way::sent, peer->rank.value, message);
    Result<void> sent = child_socket_->send(message);
    if (sent) return sent;
    if (peer)
        boost::asio::post(io_, [this, child = peer->rank, uuid = peer->uuid] {
            if (const Peer* now = children_.find(child); now && now->uuid == uuid)
                lose_child(child, "lost connection");
        });
    return sent;
}

void Overlay::send_children(const Message& event) {
    trace(MessageTrace::Way::sent, -1, event);
    for (const auto& [rank, peer] : children_.peers()) {
        if (!peer.online()) continue;
        Message copy = event;
        copy.flags |= message_flag::route;
        copy.routes = {peer.uuid};
        (void)send_child(copy);  // a child that is gone is reported by send_child itself
    }
}

// ---- both ----

void Overlay::send_control(ZSocket& socket, const std::string& to, int type, int status) {
    Message message;
    message.type = MessageType::control;
    message.flags |= message_flag::route;
    message.aux1 = static_cast<std::uint32_t>(type);
    message.aux2 = static_cast<std::uint32_t>(status);
    if (!to.empty()) message.routes = {to};
    (void)socket.send(message);
}

void Overlay::status_changed(SubtreeStatus before) {
    if (children_.overall() != before && !parent_uuid_.empty() && parent_connected_)
        send_control(*parent_socket_, {}, control_status, static_cast<int>(children_.overall()));
    hooks_.health_changed();
}

std::int64_t Overlay::parent_rank() const {
    return options_.topology.parent(options_.rank).value_or(Rank{0}).value;
}

JsonObject Overlay::health() const { return children_.health(now()); }

void Overlay::keep_alive() {
    keep_alive_timer_.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(options_.torpid_min)));
    keep_alive_timer_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        if (!parent_uuid_.empty() && parent_connected_ &&
            now() - sent_to_parent_ >= options_.torpid_min)
            send_control(*parent_socket_, {}, control_heartbeat, 0);
        for (const Peer& peer : children_.update_torpid(options_.torpid_max, now())) {
            log_.err("overlay", "{} {}", peer_name(peer.rank),
                     peer.torpid ? "is torpid: no message for a while" : "is no longer torpid");
            hooks_.torpid_changed(peer.rank, peer.torpid);
        }
        keep_alive();
    });
}

}  // namespace sluice
