// The client side of a local socket: connect, RPCs (one reply, streams, no reply), events,
// services. One thread. Either block in call(), or send() with callbacks and turn the loop with
// run_until(). Callbacks may send and cancel; they never run inside send() or cancel() themselves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/message.hpp"

namespace boost::asio {
class io_context;
}

namespace sluice {

struct RpcOptions {
    std::uint32_t nodeid = nodeid_any;
    bool upstream = false;  // start at the TBON parent (needs nodeid = own rank)
    bool streaming = false;
    bool noresponse = false;
};

/// A response. `message.errnum()` is 0 for success; ENODATA ends a stream.
struct Reply {
    Message message;
    bool ok() const { return message.errnum() == 0; }
    bool end_of_stream() const;
    /// errno and the text the service sent, or the errno's own text.
    Error error() const;
    /// The JSON payload ({} when there is none), or the error.
    Result<JsonObject> json() const;
};

class Handle {
  public:
    /// Connects to `uri` ("local://PATH"), else FLUX_URI, else local:///run/flux/local. Requests
    /// carry FLUX_HANDLE_USERID and FLUX_HANDLE_ROLEMASK, where those are set.
    /// Errors: ENOENT, ECONNREFUSED …; EPERM when the broker refuses this user; EINVAL bad URI.
    static Result<Handle> open(std::string uri = {});
    /// Takes over a connected socket that needs no handshake (a shell's end of a socket pair).
    static Handle adopt(int socket);
    Handle(Handle&&) noexcept;
    Handle& operator=(Handle&&) noexcept;
    ~Handle();

    using OnReply = std::function<void(const Reply&)>;
    /// Sends a request. `on_reply` is called for each response until the RPC ends: for a stream, up
    /// to and including the error response; without STREAMING, once. If the connection is lost it
    /// is called once with ECONNRESET. Returns the tag, 0 with noresponse.
    Matchtag send(std::string_view topic, const JsonObject& payload, RpcOptions options,
                  OnReply on_reply);
    /// As send, for any request (raw payload, no payload); its matchtag is filled in.
    Matchtag send(Message request, OnReply on_reply);
    /// Blocks for one response. Errors: as the service sent, ECONNRESET.
    Result<JsonObject> call(std::string_view topic, const JsonObject& payload = {},
                            RpcOptions options = {});
    Result<Message> call(Message request);
    /// Asks a service to end a stream: request `topic` {matchtag}, NORESPONSE (RFC 6). The stream
    /// then ends with ENODATA.
    void cancel(std::string_view topic, Matchtag tag, std::uint32_t nodeid = nodeid_any);
    /// Forgets an RPC: its callback is not called any more.
    void forget(Matchtag tag);

    using OnMessage = std::function<void(const Message&)>;
    /// Blocks until subscribed; `on_event` then gets every event whose topic begins with `prefix`.
    Result<void> subscribe(std::string_view prefix, OnMessage on_event);
    Result<void> unsubscribe(std::string_view prefix);
    /// Sends an event message or any other prepared message as it is.
    void send_message(const Message& message);
    /// Registers service `name` (blocks); requests "name.*" come to `on_request`, which answers
    /// with send_message(Message::response(request, errnum)).
    Result<void> add_service(std::string_view name, OnMessage on_request);
    /// As add_service without waiting: requests sent after this one find the service registered.
    /// `on_reply` hears whether it was.
    void register_service(std::string_view name, OnMessage on_request, OnReply on_reply);
    /// `on_event` gets the events with this prefix that the broker sends without a subscription (a
    /// launcher's to its shell).
    void on_pushed_event(std::string_view prefix, OnMessage on_event);

    /// Turns the loop until `done()` or the connection is lost (returns false then).
    bool run_until(const std::function<bool()>& done);
    /// Blocks until everything sent has been written. False when the connection is lost.
    bool flush();
    bool connected() const;
    /// Called once when the connection is lost.
    void on_lost(std::function<void()> callback);
    /// The loop, for timers, signals and standard input next to the connection.
    boost::asio::io_context& io();

    /// Attribute value by attr.get. Errors: ENOENT unknown or unset.
    Result<std::string> attr(std::string_view name);
    /// Own rank and instance size (attributes "rank", "size").
    Result<std::uint32_t> rank();
    Result<std::uint32_t> size();

    class State;  // of handle.cpp
  private:
    explicit Handle(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

/// Path of a "local://" URI. Errors: EINVAL naming the URI and the schemes there are.
Result<std::string> local_socket_path(std::string_view uri);

}  // namespace sluice
