#include "broker/connector/local_client.hpp"

#include <array>
#include <cstring>

#include "base/json.hpp"

namespace sluice {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
/// What may wait for a client that does not read; beyond it the client is dropped.
constexpr std::size_t outgoing_bytes_max = std::size_t{1} << 29;
/// What services that stream to a client are told: it is slow, and later that it is ready.
constexpr std::size_t slow_bytes = std::size_t{1} << 20, ready_bytes = slow_bytes / 4;
/// Answered even before the broker is online (wire.md 1.3).
constexpr std::array<std::string_view, 4> early_topics{"state-machine.wait", "state-machine.get",
                                                       "attr.get", "log.dmesg"};

bool is_early(std::string_view topic) {
    return std::find(early_topics.begin(), early_topics.end(), topic) != early_topics.end();
}

Result<std::string> read_key(const Message& request, std::string_view key) {
    SLUICE_TRY(const JsonObject payload, parse_json_object(request.text()));
    JsonReader in{payload};
    std::string value = in.string(key);
    if (!in) return in.error();
    return value;
}

}  // namespace

LocalClient::LocalClient(Socket socket, Router& router, Credential peer, Hooks hooks)
    : socket_(std::move(socket)), router_(router), peer_(peer), hooks_(std::move(hooks)),
      route_(router.attach(this)) {
    socket_.non_blocking(true);
}

LocalClient::~LocalClient() {
    if (open_) router_.detach(route_, this);
}

void LocalClient::read() {
    if (incoming_.size() - filled_ < read_bytes) incoming_.resize(filled_ + read_bytes);
    socket_.async_read_some(asio::buffer(incoming_.data() + filled_, incoming_.size() - filled_),
                            [self = shared_from_this()](error_code error, std::size_t bytes) {
                                if (!self->open_) return;
                                if (error) return self->close();
                                self->filled_ += bytes;
                                if (self->take_frames()) self->read();
                            });
}

bool LocalClient::take_frames() {
    std::size_t used = 0;
    for (;;) {
        const auto frame = next_frame(std::string_view{incoming_}.substr(used, filled_ - used));
        if (frame && !*frame) break;
        auto message = frame ? decode_body((*frame)->body) : Result<Message>{frame.error()};
        if (!message) {
            hooks_.log(fmt::format("local socket: user {}: {}; connection dropped", peer_.userid,
                                   message.error().text()));
            close();
            return false;
        }
        used += (*frame)->bytes_used;
        receive(*std::move(message));
        if (!open_) return false;
    }
    std::memmove(incoming_.data(), incoming_.data() + used, filled_ - used);
    filled_ -= used;
    return true;
}

void LocalClient::receive(Message message) {
    switch (message.type) {
        case MessageType::request:
            // Nobody could answer it by name: ignored, as the reference does.
            if (message.has(message_flag::topic)) on_request(std::move(message));
            return;
        case MessageType::response:
            stamp(peer_, message);
            return router_.response(std::move(message));
        case MessageType::event:
            stamp(peer_, message);
            router_.event(std::move(message));
            return;
        case MessageType::control: return;
    }
}

void LocalClient::on_request(Message request) {
    stamp(peer_, request);
    request.flags |= message_flag::route;
    if (socket_request(request)) return;
    request.routes.push_back(route_);
    if (hooks_.online && !hooks_.online() && !is_early(request.topic))
        return router_.respond_error(
            request, fail(EAGAIN, "{}: broker is offline; wait with flux uptime", request.topic));
    notices_.used(request);
    const bool streaming = request.has(message_flag::streaming);
    router_.request(std::move(request));
    if (slow_ && streaming) tell_pace(true);
}

bool LocalClient::socket_request(const Message& request) {
    Result<void> done;
    if (request.topic == "event.subscribe") done = subscription(request, true);
    else if (request.topic == "event.unsubscribe") done = subscription(request, false);
    else if (request.topic == "service.add") done = service(request, true);
    else if (request.topic == "service.remove") done = service(request, false);
    else return false;
    answer(request, done ? 0 : done.error().errnum());
    return true;
}

Result<void> LocalClient::subscription(const Message& request, bool add) {
    SLUICE_TRY(const std::string prefix, read_key(request, "topic"));
    if (!add) return router_.unsubscribe(this, prefix);
    router_.subscribe(this, prefix);
    return {};
}

Result<void> LocalClient::service(const Message& request, bool add) {
    SLUICE_TRY(const std::string name, read_key(request, "service"));
    if (!add) return router_.remove_service(name, this);
    if (!(peer_.rolemask & role::owner) && !name.starts_with(fmt::format("{}-", peer_.userid)))
        return Error{EPERM};
    return router_.add_service(name, this);
}

void LocalClient::answer(const Message& request, int errnum) {
    if (request.has(message_flag::noresponse)) return;
    Message response = Message::response(request, errnum);
    response.routes.clear();
    response.cred = {userid_unknown, role::owner};
    write(response);
}

void LocalClient::deliver(Message message) {
    if (message.type == MessageType::event && !may_receive(peer_, message)) return;
    write(message);
}

void LocalClient::write(const Message& message) {
    if (!open_) return;
    append_frame(message, outgoing_);
    if (!slow_ && outgoing_.size() + in_flight_.size() > slow_bytes) tell_pace(true);
    if (outgoing_.size() > outgoing_bytes_max) {
        hooks_.log(fmt::format("local socket: user {} does not read, {} bytes wait; dropped",
                               peer_.userid, outgoing_.size()));
        asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
        return;
    }
    if (writing_) return;
    writing_ = true;
    // Written at the end of the reactor turn, so that what the turn sends goes out in one write.
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->write_some(); });
}

void LocalClient::write_some() {
    if (!open_) return;
    in_flight_.swap(outgoing_);
    outgoing_.clear();
    asio::async_write(socket_, asio::buffer(in_flight_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                          if (!self->open_) return;
                          self->in_flight_.clear();
                          // A client that is gone may have left requests behind: read() takes
                          // them and then sees the end.
                          if (error) return self->outgoing_.clear();
                          if (self->slow_ && self->outgoing_.size() <= ready_bytes)
                              self->tell_pace(false);
                          if (self->outgoing_.empty()) {
                              self->writing_ = false;
                          } else {
                              self->write_some();
                          }
                      });
}

void LocalClient::tell_pace(bool slow) {
    slow_ = slow;
    for (Message& notice : notices_.pace(slow)) router_.request(std::move(notice));
}

void LocalClient::close() {
    if (!open_) return;
    open_ = false;
    const auto self = shared_from_this();
    error_code ignored;
    socket_.close(ignored);
    router_.detach(route_, this);
    for (Message& notice : notices_.take()) router_.request(std::move(notice));
    hooks_.gone(route_);
}

}  // namespace sluice
