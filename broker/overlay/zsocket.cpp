// ZMQ_FD is edge-triggered: it says "look again", not "readable". So a socket is drained each time,
// and looked at again after every send, which may have swallowed the signal.
#include "broker/overlay/zsocket.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <set>
#include <zmq.hpp>

namespace sluice {

namespace asio = boost::asio;

namespace {

constexpr const char* zap_endpoint = "inproc://zeromq.zap.01";
constexpr const char* zap_domain = "flux";
constexpr int reconnect_ms = 100, reconnect_max_ms = 400;
constexpr int linger_ms = 100;  // a goodbye must still leave
constexpr int messages_per_look_max = 256;

/// Calls `look` whenever something may have happened to a ZeroMQ socket.
class Watch : public std::enable_shared_from_this<Watch> {
  public:
    Watch(asio::io_context& io, zmq::socket_t& socket, std::function<bool()> look)
        : io_(io), descriptor_(io, socket.get(zmq::sockopt::fd)), look_(std::move(look)) {}
    ~Watch() { descriptor_.release(); }  // the descriptor belongs to the library

    void arm() {
        descriptor_.async_wait(
            asio::posix::stream_descriptor::wait_read,
            [self = weak_from_this()](boost::system::error_code error) {
                const auto watch = self.lock();
                if (!watch || error) return;
                watch->look();
                watch->arm();
            });
    }
    void look_soon() {
        if (std::exchange(posted_, true)) return;
        asio::post(io_, [self = weak_from_this()] {
            if (const auto watch = self.lock()) watch->look();
        });
    }

  private:
    /// `look_` returns true when it stopped before the socket was empty.
    void look() {
        posted_ = false;
        if (look_()) look_soon();
    }

    asio::io_context& io_;
    asio::posix::stream_descriptor descriptor_;
    std::function<bool()> look_;
    bool posted_ = false;
};

/// The parts of the next message; empty when there is none.
std::vector<zmq::message_t> receive_parts(zmq::socket_t& socket) {
    std::vector<zmq::message_t> parts;
    do {
        zmq::message_t part;
        if (!socket.recv(part, zmq::recv_flags::dontwait)) break;
        parts.push_back(std::move(part));
    } while (parts.back().more());
    return parts;
}

/// "192.0.2.7:51234" of the other end of a connection.
std::string peer_address(int connection) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char text[INET6_ADDRSTRLEN] = {};
    if (::getpeername(connection, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
    if (address.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return fmt::format("{}:{}", text, ntohs(v4.sin_port));
    }
    if (address.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        return fmt::format("[{}]:{}", text, ntohs(v6.sin6_port));
    }
    return "local";
}

std::string handshake_text(int event, std::uint32_t value) {
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) return "its key is not allowed";
    if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) return "it does not speak CURVE";
    if (value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC) return "it has another certificate";
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) return "it broke the protocol";
    return "it ended the connection before the handshake was done";
}

}  // namespace

class ZContext::State {
  public:
    State(asio::io_context& io, Options options)
        : options(std::move(options)), context(this->options.io_threads), zap(context, ZMQ_REP) {
        zap.set(zmq::sockopt::linger, 0);
        zap.bind(zap_endpoint);
        watch = std::make_shared<Watch>(io, zap, [this] { return answer(); });
        watch->arm();
    }

    /// Request: version, id, domain, address, identity, mechanism, then the 32 bytes of the key.
    bool answer() {
        for (auto parts = receive_parts(zap); !parts.empty(); parts = receive_parts(zap)) {
            std::string key(41, '\0');
            const bool curve = parts.size() >= 7 && parts[0].to_string_view() == "1.0" &&
                               parts[5].to_string_view() == "CURVE" && parts[6].size() == 32;
            if (curve)
                ::zmq_z85_encode(key.data(), static_cast<const std::uint8_t*>(parts[6].data()), 32);
            key.resize(40);
            const bool good = curve && allowed.contains(key);
            if (!good && options.on_refused && parts.size() >= 4)
                options.on_refused(parts[3].to_string(), key);
            const std::string id = parts.size() > 1 ? parts[1].to_string() : "";
            const std::array<std::string, 6> reply{"1.0", id, good ? "200" : "400",
                                                   good ? "OK" : "No access", good ? key : "", ""};
            for (std::size_t i = 0; i < reply.size(); ++i)
                zap.send(zmq::buffer(reply[i]), i + 1 < reply.size() ? zmq::send_flags::sndmore
                                                                     : zmq::send_flags::none);
        }
        return false;
    }

    Options options;
    zmq::context_t context;
    zmq::socket_t zap;
    std::shared_ptr<Watch> watch;
    std::set<std::string> allowed;
    int next_monitor = 0;
};

ZContext::ZContext(asio::io_context& io, Options options)
    : state_(std::make_unique<State>(io, std::move(options))) {}
ZContext::~ZContext() = default;
void ZContext::allow(const std::string& public_key) { state_->allowed.insert(public_key); }

class ZSocket::State : public std::enable_shared_from_this<ZSocket::State> {
  public:
    State(ZContext::State& context, Options options, Callbacks callbacks)
        : options_(std::move(options)),
          callbacks_(std::move(callbacks)),
          socket(context.context, options_.kind == Kind::router ? ZMQ_ROUTER : ZMQ_DEALER),
          monitor_(context.context, ZMQ_PAIR) {
        configure();
        const std::string name = fmt::format("inproc://monitor-{}", context.next_monitor++);
        ::zmq_socket_monitor(socket.handle(), name.c_str(), ZMQ_EVENT_ALL);
        monitor_.set(zmq::sockopt::linger, 0);
        monitor_.connect(name);
    }
    ~State() { ::zmq_socket_monitor(socket.handle(), nullptr, 0); }

    void watch(asio::io_context& io) {
        const std::weak_ptr<State> weak = weak_from_this();
        const auto while_alive = [weak](bool (State::*look)()) {
            return [weak, look] {
                const auto self = weak.lock();  // a callback may end the socket
                return self && (self.get()->*look)();
            };
        };
        socket_watch = std::make_shared<Watch>(io, socket, while_alive(&State::read_messages));
        monitor_watch_ = std::make_shared<Watch>(io, monitor_, while_alive(&State::read_events));
        socket_watch->arm();
        monitor_watch_->arm();
        socket_watch->look_soon();
        monitor_watch_->look_soon();
    }
    void close() { open_ = false; }

  private:
    void configure();
    bool read_messages();
    bool read_events();
    void on_monitor(int event, std::uint32_t value);
    void report(LinkEvent event) {
        if (open_) callbacks_.on_event(event);
    }

    Options options_;
    Callbacks callbacks_;
    std::map<int, std::string> peers_;  // addresses of accepted connections
    std::string failed_;                // why the handshake of the next disconnect failed
    bool open_ = true;

  public:
    zmq::socket_t socket;
    std::shared_ptr<Watch> socket_watch;

  private:
    zmq::socket_t monitor_;
    std::shared_ptr<Watch> monitor_watch_;
};

void ZSocket::State::configure() {
    namespace opt = zmq::sockopt;
    const auto milliseconds = [](double seconds) { return static_cast<int>(seconds * 1000); };
    socket.set(opt::linger, linger_ms);
    socket.set(opt::sndhwm, 0);
    socket.set(opt::rcvhwm, options_.receive_limit);
    socket.set(opt::ipv6, options_.ipv6);
    socket.set(opt::zap_domain, zap_domain);
    socket.set(opt::curve_publickey, options_.keys.public_key);
    socket.set(opt::curve_secretkey, options_.keys.secret_key);
    if (options_.tcp_user_timeout > 0)
        socket.set(opt::tcp_maxrt, milliseconds(options_.tcp_user_timeout));
    if (options_.kind == Kind::router) {
        socket.set(opt::router_mandatory, true);
        socket.set(opt::router_handover, true);
        socket.set(opt::curve_server, true);
        return;
    }
    socket.set(opt::routing_id, options_.identity);
    socket.set(opt::curve_serverkey, options_.server_key);
    socket.set(opt::reconnect_ivl, reconnect_ms);
    socket.set(opt::reconnect_ivl_max, reconnect_max_ms);
    if (options_.connect_timeout > 0)
        socket.set(opt::connect_timeout, milliseconds(options_.connect_timeout));
}

bool ZSocket::State::read_messages() {
    for (int i = 0; open_; ++i) {
        if (i == messages_per_look_max) return true;
        std::vector<zmq::message_t> parts = receive_parts(socket);
        if (parts.empty()) return false;
        std::vector<std::string_view> views;
        for (const zmq::message_t& part : parts) views.push_back(part.to_string_view());
        const int connection = ::zmq_msg_get(parts[0].handle(), ZMQ_SRCFD);
        Result<Message> message = decode_parts(views);
        if (message) callbacks_.on_message(*std::move(message), connection);
    }
    return false;
}

bool ZSocket::State::read_events() {
    while (open_) {
        const std::vector<zmq::message_t> parts = receive_parts(monitor_);
        if (parts.empty()) return false;
        if (parts.size() < 2 || parts[0].size() != 6) continue;
        std::uint16_t event = 0;
        std::uint32_t value = 0;
        std::memcpy(&event, parts[0].data(), sizeof event);
        std::memcpy(&value, static_cast<const char*>(parts[0].data()) + sizeof event, sizeof value);
        on_monitor(event, value);
    }
    return false;
}

void ZSocket::State::on_monitor(int event, std::uint32_t value) {
    const int connection = static_cast<int>(value);
    switch (event) {
        case ZMQ_EVENT_ACCEPTED: peers_[connection] = peer_address(connection); return;
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return report({LinkEvent::Kind::connected});
        case ZMQ_EVENT_CONNECT_RETRIED: return report({LinkEvent::Kind::retrying});
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: failed_ = handshake_text(event, value); return;
        case ZMQ_EVENT_DISCONNECTED: {
            const auto found = peers_.extract(connection);
            const std::string peer = found.empty() ? std::string{} : found.mapped();
            if (!failed_.empty())
                report({LinkEvent::Kind::handshake_failed, connection, peer,
                        std::exchange(failed_, {})});
            return report({LinkEvent::Kind::disconnected, connection, peer, {}});
        }
        default: return;
    }
}

ZSocket::ZSocket(std::shared_ptr<State> state) : state_(std::move(state)) {}
ZSocket::~ZSocket() { state_->close(); }

Result<std::unique_ptr<ZSocket>> ZSocket::open(asio::io_context& io, ZContext& context,
                                               Options options, Callbacks callbacks) try {
    auto state =
        std::make_shared<State>(context.state(), std::move(options), std::move(callbacks));
    state->watch(io);
    return std::unique_ptr<ZSocket>(new ZSocket(std::move(state)));
} catch (const zmq::error_t& error) {
    return fail(error.num(), "overlay socket: {}", error.what());
}

Result<std::string> ZSocket::bind(const std::string& endpoint) try {
    state_->socket.bind(endpoint);
    state_->socket_watch->look_soon();
    return state_->socket.get(zmq::sockopt::last_endpoint);
} catch (const zmq::error_t& error) {
    if (error.num() == EADDRINUSE)
        return fail(EADDRINUSE,
                    "bind {}: {}: another broker or program has this port; end it, or choose "
                    "another bootstrap.default_port",
                    endpoint, error.what());
    return fail(error.num(), "bind {}: {}", endpoint, error.what());
}

Result<void> ZSocket::connect(const std::string& endpoint) try {
    state_->socket.connect(endpoint);
    state_->socket_watch->look_soon();
    return {};
} catch (const zmq::error_t& error) {
    return fail(error.num(), "connect {}: {}", endpoint, error.what());
}

void ZSocket::disconnect(const std::string& endpoint) {
    ::zmq_disconnect(state_->socket.handle(), endpoint.c_str());
}

Result<void> ZSocket::send(const Message& message) {
    std::vector<std::string> parts;
    encode_parts(message, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const int flags = ZMQ_DONTWAIT | (i + 1 < parts.size() ? ZMQ_SNDMORE : 0);
        if (::zmq_send(state_->socket.handle(), parts[i].data(), parts[i].size(), flags) < 0)
            return Error{errno == EAGAIN ? EAGAIN : EHOSTUNREACH};
    }
    state_->socket_watch->look_soon();
    return {};
}

}  // namespace sluice
