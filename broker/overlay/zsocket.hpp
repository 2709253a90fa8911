// ROUTER and DEALER sockets of ZeroMQ with CURVE, driven by the reactor. The only includer of the
// library is zsocket.cpp. One Flux message part is one ZeroMQ frame (wire.md 1.6).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto.hpp"
#include "base/result.hpp"
#include "base/rfc/message.hpp"

namespace boost::asio {
class io_context;
}

namespace sluice {

/// What happened to a connection of a socket.
struct LinkEvent {
    enum class Kind {
        connected,          // the handshake is done, messages flow
        retrying,           // nobody answered; the library tries again by itself
        disconnected,       // `connection` is over
        handshake_failed,   // `text` says why, `peer` who it was
    } kind;
    int connection = -1;    // as ZMessage::connection
    std::string peer;       // address, where it is known
    std::string text;
};

/// The library's context and the ZAP handler (ZeroMQ RFC 27) that decides whose keys are let in.
class ZContext {
  public:
    struct Options {
        int io_threads = 1;
        /// Called when a key that is not allowed was refused: address and public key.
        std::function<void(const std::string& address, const std::string& key)> on_refused;
    };
    ZContext(boost::asio::io_context& io, Options options);
    ~ZContext();
    void allow(const std::string& public_key);

    class State;  // of zsocket.cpp
    State& state() { return *state_; }

  private:
    std::unique_ptr<State> state_;
};

class ZSocket {
  public:
    enum class Kind { router, dealer };
    struct Options {
        Kind kind;
        CurveKeys keys;
        std::string server_key;  // dealer: the public key the parent must have
        std::string identity;    // dealer: our uuid
        int receive_limit = 0;   // messages, 0 = none
        double tcp_user_timeout = 0, connect_timeout = 0;  // seconds, 0 = the system's
        bool ipv6 = false;
        bool debug = false;
    };
    struct Callbacks {
        /// `connection` names the connection it came over (router).
        std::function<void(Message message, int connection)> on_message;
        std::function<void(const LinkEvent&)> on_event;
    };
    static Result<std::unique_ptr<ZSocket>> open(boost::asio::io_context& io, ZContext& context,
                                                 Options options, Callbacks callbacks);
    ~ZSocket();

    /// "tcp://*:8050", "tcp://eth0:8050", "ipc://PATH". The endpoint as others can use it, the port
    /// filled in. Errors: naming the endpoint.
    Result<std::string> bind(const std::string& endpoint);
    /// Connects in the background, again and again.
    Result<void> connect(const std::string& endpoint);
    void disconnect(const std::string& endpoint);
    /// Errors: EHOSTUNREACH no such peer (router).
    Result<void> send(const Message& message);

    class State;  // of zsocket.cpp

  private:
    explicit ZSocket(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

}  // namespace sluice
