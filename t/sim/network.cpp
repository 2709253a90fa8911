#include "t/sim/network.hpp"

#include <deque>
#include <map>

#include "broker/overlay/zsocket.hpp"
#include "t/sim/host.hpp"

namespace sluice {

using sim::Host;
using sim::Time;
using sim::world;
using Parts = std::vector<std::string>;

namespace {

struct Link {
    Time cut_until = 0, slow_until = 0, slow_by = 0;
};

}  // namespace

class ZContext::State {};

/// A connection: `up` until it breaks; each end forgets it when it notices.
struct Connection {
    int id = 0;
    std::uint32_t child = 0;
    std::string identity;
    std::weak_ptr<ZSocket::State> dealer, router;
    Time last_up = 0, last_down = 0;  // arrival of the last message, either way
    bool up = true;
};

class ZSocket::State : public std::enable_shared_from_this<ZSocket::State> {
  public:
    State(Host& host, Options options, Callbacks callbacks)
        : host(host),
          life(host.life()),
          options(std::move(options)),
          callbacks(std::move(callbacks)) {}

    void try_connect();
    void connected(const std::shared_ptr<Connection>& connection);
    void noticed(const std::shared_ptr<Connection>& connection);
    void receive(const std::shared_ptr<Connection>& connection, Parts parts);
    void send(const std::shared_ptr<Connection>& connection, Parts parts);

    Host& host;
    std::uint64_t life;
    Options options;
    Callbacks callbacks;
    std::string endpoint;
    std::shared_ptr<Connection> parent;                          // dealer
    std::map<std::string, std::shared_ptr<Connection>> children;  // router, by identity
    std::deque<Parts> waiting;                                   // dealer, no connection
    bool open = true;
};

namespace {

std::map<std::string, std::weak_ptr<ZSocket::State>> bound;  // by endpoint
std::map<std::uint32_t, Link> links;                         // by child
std::map<int, std::shared_ptr<Connection>> connections;      // those that are up
int next_connection = 1;

Time latency(std::uint32_t child) {
    const Link& link = links[child];
    sim::Rng& rng = world().rng;
    Time delay = rng.range(20, 200) * sim::microsecond;
    if (rng.chance(0.01)) delay += rng.range(0, 50) * sim::millisecond;
    if (link.slow_until > world().now()) delay += rng.range(0, link.slow_by);
    return std::max(link.cut_until, world().now()) + delay;
}

void break_connection(const std::shared_ptr<Connection>& connection) {
    if (!connection->up) return;
    connection->up = false;
    connections.erase(connection->id);
    for (const auto& weak : {connection->dealer, connection->router}) {
        const auto end = weak.lock();
        if (!end || !end->open) continue;
        const Time notice = world().now() + world().rng.range(1, 20) * sim::millisecond;
        end->host.post(notice, [weak, connection] {
            if (const auto state = weak.lock(); state && state->open) state->noticed(connection);
        });
    }
}

}  // namespace

void ZSocket::State::try_connect() {
    const auto found = bound.find(endpoint);
    const auto router = found == bound.end() ? nullptr : found->second.lock();
    const std::weak_ptr<State> self = weak_from_this();
    const bool cut = links[host.rank()].cut_until > world().now();
    if (!router || !router->open || cut) {
        callbacks.on_event({LinkEvent::Kind::retrying});
        return host.post(world().now() + world().rng.range(100, 400) * sim::millisecond, [self] {
            if (const auto state = self.lock(); state && state->open) state->try_connect();
        });
    }
    auto connection = std::make_shared<Connection>(
        Connection{next_connection++, host.rank(), options.identity, self, router});
    connections[connection->id] = connection;
    // The handshake needs both ends to be awake.
    router->host.post(latency(host.rank()), [self, connection, peer = connection->router] {
        const auto other = peer.lock();
        const auto state = self.lock();
        if (!other || !other->open || !state || !connection->up) return;
        other->children[connection->identity] = connection;
        state->host.post(latency(connection->child), [self, connection] {
            if (const auto dealer = self.lock(); dealer && dealer->open && connection->up)
                dealer->connected(connection);
        });
    });
    // A handshake that stays away is tried again.
    host.post(world().now() + 5 * sim::second, [self, connection] {
        const auto state = self.lock();
        if (!state || !state->open || state->parent || !connection->up) return;
        connection->up = false;
        connections.erase(connection->id);
        state->try_connect();
    });
}

void ZSocket::State::connected(const std::shared_ptr<Connection>& connection) {
    parent = connection;
    for (Parts& parts : std::exchange(waiting, {})) send(parent, std::move(parts));
    callbacks.on_event({LinkEvent::Kind::connected, connection->id});
}

void ZSocket::State::noticed(const std::shared_ptr<Connection>& connection) {
    if (options.kind == Kind::router) {
        const auto found = children.find(connection->identity);
        if (found != children.end() && found->second == connection) children.erase(found);
    } else {
        if (parent == connection) parent.reset();
        const std::weak_ptr<State> self = weak_from_this();
        host.post(world().now() + world().rng.range(100, 400) * sim::millisecond, [self] {
            if (const auto state = self.lock(); state && state->open && !state->parent)
                state->try_connect();
        });
    }
    callbacks.on_event({LinkEvent::Kind::disconnected, connection->id});
}

void ZSocket::State::receive(const std::shared_ptr<Connection>& connection, Parts parts) {
    if (options.kind == Kind::router) parts.insert(parts.begin(), connection->identity);
    const std::vector<std::string_view> views(parts.begin(), parts.end());
    Result<Message> message = decode_parts(views);
    if (!message) return world().wrong("undecodable message: " + message.error().text());
    world().note(fmt::format("rank {} <- {}", host.rank(), message->topic));
    callbacks.on_message(*std::move(message), connection->id);
}

void ZSocket::State::send(const std::shared_ptr<Connection>& connection, Parts parts) {
    const bool upward = options.kind == Kind::dealer;
    Time& last = upward ? connection->last_up : connection->last_down;
    last = std::max(last + 1, latency(connection->child));
    const auto weak = upward ? connection->router : connection->dealer;
    const auto other = weak.lock();
    if (!other || !other->open || !connection->up) return;
    other->host.post(last, [weak, connection, parts = std::move(parts)]() mutable {
        const auto state = weak.lock();
        if (state && state->open && connection->up) state->receive(connection, std::move(parts));
    });
}

ZContext::ZContext(boost::asio::io_context&, Options) : state_(std::make_unique<State>()) {}
ZContext::~ZContext() = default;
void ZContext::allow(const std::string&) {}

ZSocket::ZSocket(std::shared_ptr<State> state) : state_(std::move(state)) {}

ZSocket::~ZSocket() {
    state_->open = false;
    if (state_->parent) break_connection(state_->parent);
    for (const auto& [identity, connection] : std::exchange(state_->children, {}))
        break_connection(connection);
}

Result<std::unique_ptr<ZSocket>> ZSocket::open(boost::asio::io_context&, ZContext&,
                                               Options options, Callbacks callbacks) {
    return std::unique_ptr<ZSocket>(new ZSocket(std::make_shared<State>(
        sim::current_host(), std::move(options), std::move(callbacks))));
}

Result<std::string> ZSocket::bind(const std::string& endpoint) {
    bound[endpoint] = state_;
    return endpoint;
}

Result<void> ZSocket::connect(const std::string& endpoint) {
    state_->endpoint = endpoint;
    state_->host.post(world().now() + world().rng.range(200, 2000) * sim::microsecond,
                      [self = std::weak_ptr<State>{state_}] {
                          if (const auto state = self.lock(); state && state->open)
                              state->try_connect();
                      });
    return {};
}

void ZSocket::disconnect(const std::string&) {
    if (state_->parent) break_connection(state_->parent);
}

Result<void> ZSocket::send(const Message& message) {
    Parts parts;
    encode_parts(message, parts);
    if (state_->options.kind == Kind::router) {
        const auto found = state_->children.find(parts.front());
        if (found == state_->children.end()) return Error{EHOSTUNREACH};
        parts.erase(parts.begin());
        state_->send(found->second, std::move(parts));
    } else if (state_->parent) {
        state_->send(state_->parent, std::move(parts));
    } else {
        state_->waiting.push_back(std::move(parts));
    }
    return {};
}

namespace sim {

void cut_link(std::uint32_t child, Time until) {
    links[child].cut_until = std::max(links[child].cut_until, until);
}

void slow_link(std::uint32_t child, Time until, Time delay) {
    links[child].slow_until = until;
    links[child].slow_by = delay;
}

void break_link(std::uint32_t child) {
    std::vector<std::shared_ptr<Connection>> broken;
    for (const auto& [id, connection] : connections)
        if (connection->child == child) broken.push_back(connection);
    for (const auto& connection : broken) break_connection(connection);
}

void heal_network() {
    for (auto& [child, link] : links) link = {};
}

void clear_network() {
    links.clear();
    bound.clear();
    connections.clear();
    next_connection = 1;
}

}  // namespace sim
}  // namespace sluice
