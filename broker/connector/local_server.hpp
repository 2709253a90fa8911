// The local socket of a broker: accepts clients, checks who they are, and connects their streams of
// messages to the router (wire.md 1.2). Each client has one bounded queue towards it; one that does
// not read is dropped.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "broker/connector/access.hpp"
#include "broker/router/router.hpp"

namespace sluice {

class LocalServer {
  public:
    struct Options {
        AccessPolicy access;
        /// False until the broker serves everybody (state init); requests then fail with EAGAIN.
        std::function<bool()> online;
        /// Receives a line for the log when a client is refused or dropped.
        std::function<void(const std::string&)> log;
    };
    LocalServer(boost::asio::io_context& io, Router& router, Options options);
    ~LocalServer();

    /// Listens on a UNIX socket at `path` (mode 0777); an abandoned socket file is replaced.
    /// Errors: EINVAL path too long (its length and the limit), EADDRINUSE another broker listens.
    Result<void> listen(const std::string& path);
    /// Takes over a connected socket as a client of this credential, without handshake. `on_close`
    /// is called when the peer is gone. Returns the client's route id.
    std::string adopt(int socket, Credential peer, std::function<void()> on_close);
    /// Sends a message of ours to one client; false when it is gone.
    bool push(const std::string& route, const Message& message);
    /// Stops accepting and closes every connection.
    void close();
    std::size_t client_count() const;

    void set_access(AccessPolicy access);

  private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace sluice
