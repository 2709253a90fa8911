// One connected client of the local socket, as the router sees it. Internal to the connector.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "broker/connector/access.hpp"
#include "broker/connector/client_notices.hpp"
#include "broker/router/router.hpp"

namespace sluice {

class LocalClient : public Endpoint, public std::enable_shared_from_this<LocalClient> {
  public:
    struct Hooks {
        std::function<bool()> online;
        std::function<void(const std::string&)> log;
        std::function<void(const std::string& route)> gone;  // after the last message
    };
    using Socket = boost::asio::local::stream_protocol::socket;
    LocalClient(Socket socket, Router& router, Credential peer, Hooks hooks);
    ~LocalClient() override;

    void start() { read(); }
    void deliver(Message message) override;
    void write(const Message& message);
    /// Says goodbye to every service it used; idempotent.
    void close();
    const std::string& route() const { return route_; }

  private:
    void read();
    bool take_frames();
    void receive(Message message);
    void on_request(Message request);
    /// Serves event.(un)subscribe and service.(add|remove); false for any other topic.
    bool socket_request(const Message& request);
    Result<void> subscription(const Message& request, bool add);
    Result<void> service(const Message& request, bool add);
    void answer(const Message& request, int errnum);
    void write_some();
    void tell_pace(bool slow);

    Socket socket_;
    Router& router_;
    Credential peer_;
    Hooks hooks_;
    std::string route_;
    ClientNotices notices_;
    std::string incoming_, outgoing_, in_flight_;
    std::size_t filled_ = 0;
    bool open_ = true, writing_ = false;
    bool slow_ = false;  // it has not read much of what it was sent
};

}  // namespace sluice
