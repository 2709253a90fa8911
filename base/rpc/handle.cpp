#include "base/rpc/handle.hpp"

#include <sys/un.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <cstring>
#include <map>
#include <queue>
#include <unordered_map>
#include <vector>

#include "base/rpc/local_socket.hpp"
#include "base/rpc/own_instance.hpp"

namespace sluice {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr std::size_t read_bytes = 64 * 1024;

/// Whom to pass for, for tests of what a guest may do: the owner may name anybody (RFC 12).
Credential assumed_credential() {
    Credential credential;
    const auto number = [](const char* name, std::uint32_t& to) {
        if (const char* text = std::getenv(name))
            to = static_cast<std::uint32_t>(std::strtoul(text, nullptr, 0));
    };
    number("FLUX_HANDLE_USERID", credential.userid.value);
    number("FLUX_HANDLE_ROLEMASK", credential.rolemask);
    return credential;
}
}  // namespace

bool Reply::end_of_stream() const { return message.errnum() == ENODATA; }

Error Reply::error() const {
    return Error{static_cast<int>(message.errnum()), std::string{message.text()}};
}

Result<JsonObject> Reply::json() const {
    if (!ok()) return error();
    if (!message.payload) return JsonObject{};
    return parse_json_object(message.text());
}

/// The connection. It is pinned in memory, because its reads and writes refer to it.
class Handle::State {
  public:
    explicit State(int socket) : socket_(io_, asio::local::stream_protocol(), socket) {
        socket_.non_blocking(true);
        read();
    }

    Matchtag take_tag() {
        if (free_tags_.empty()) return next_tag_++;
        const Matchtag tag = free_tags_.top();
        free_tags_.pop();
        return tag;
    }

    Matchtag send(Message request, OnReply on_reply) {
        request.flags |= message_flag::route;
        request.cred = assumed_;
        request.aux2 = request.has(message_flag::noresponse) ? 0 : take_tag();
        const Matchtag tag = request.aux2;
        if (tag) pending_[tag] = std::move(on_reply);
        if (connected_) {
            write(request);
        } else if (tag) {
            asio::post(io_, [this, tag] { fail_pending(tag); });
        }
        return tag;
    }

    void write(const Message& message) {
        append_frame(message, outgoing_);
        if (writing_ || !connected_) return;
        writing_ = true;
        asio::post(io_, [this] { write_some(); });  // collects what this turn still sends
    }

    bool run_until(const std::function<bool()>& done) {
        while (!done()) {
            if (!connected_ && pending_.empty()) return false;
            if (io_.stopped()) io_.restart();
            if (io_.run_one() == 0) return false;
        }
        return true;
    }

    void forget(Matchtag tag) {
        if (auto found = pending_.find(tag); found != pending_.end()) found->second = {};
    }

    asio::io_context io_;
    std::map<std::string, OnMessage, std::less<>> subscriptions_, services_;
    std::function<void()> on_lost_;
    bool connected_ = true, writing_ = false;
    std::string outgoing_;
    Credential assumed_;  // by default nobody: the broker fills in the peer

  private:
    void read() {
        if (incoming_.size() - filled_ < read_bytes) incoming_.resize(filled_ + read_bytes);
        socket_.async_read_some(
            asio::buffer(incoming_.data() + filled_, incoming_.size() - filled_),
            [this](error_code error, std::size_t bytes) {
                if (error) return lost();
                filled_ += bytes;
                if (take_frames()) read();
            });
    }

    bool take_frames() {
        std::size_t used = 0;
        while (true) {
            const auto frame =
                next_frame(std::string_view{incoming_}.substr(used, filled_ - used));
            if (!frame) return lost(), false;
            if (!*frame) break;
            const auto message = decode_body((*frame)->body);
            used += (*frame)->bytes_used;
            if (message) dispatch(*message);
            if (!connected_) return false;
        }
        std::memmove(incoming_.data(), incoming_.data() + used, filled_ - used);
        filled_ -= used;
        return true;
    }

    void dispatch(const Message& message) {
        if (message.type == MessageType::response) return on_response(message);
        if (message.type == MessageType::request) {
            if (auto found = services_.find(message.service()); found != services_.end())
                found->second(message);
            return;
        }
        if (message.type != MessageType::event) return;
        for (const auto& [prefix, on_event] : std::map{subscriptions_})
            if (message.topic.starts_with(prefix)) on_event(message);
    }

    void on_response(const Message& message) {
        const auto found = pending_.find(message.matchtag());
        if (found == pending_.end()) return;
        const bool ends = message.errnum() != 0 || !message.has(message_flag::streaming);
        if (!ends) {
            const OnReply callback = found->second;
            if (callback) callback(Reply{message});
            return;
        }
        const OnReply callback = std::move(found->second);
        free_tags_.push(found->first);
        pending_.erase(found);
        if (callback) callback(Reply{message});
    }

    void fail_pending(Matchtag tag) {
        const auto found = pending_.find(tag);
        if (found == pending_.end()) return;
        Reply reply;
        reply.message.type = MessageType::response;
        reply.message.aux1 = ECONNRESET;
        reply.message.aux2 = tag;
        on_response(reply.message);
    }

    void write_some() {
        if (!connected_) return;
        in_flight_.swap(outgoing_);
        outgoing_.clear();
        asio::async_write(socket_, asio::buffer(in_flight_), [this](error_code error, std::size_t) {
            in_flight_.clear();
            if (error) return lost();
            if (outgoing_.empty()) {
                writing_ = false;
            } else {
                write_some();
            }
        });
    }

    void lost() {
        if (!connected_) return;
        connected_ = false;
        writing_ = false;
        error_code ignored;
        socket_.close(ignored);
        std::vector<Matchtag> tags;
        for (const auto& entry : pending_) tags.push_back(entry.first);
        for (const Matchtag tag : tags) fail_pending(tag);
        if (on_lost_) on_lost_();
    }

    asio::local::stream_protocol::socket socket_;
    std::string incoming_, in_flight_;
    std::size_t filled_ = 0;
    std::unordered_map<Matchtag, OnReply> pending_;
    std::priority_queue<Matchtag, std::vector<Matchtag>, std::greater<>> free_tags_;
    Matchtag next_tag_ = 1;
};

Result<std::string> local_socket_path(std::string_view uri) {
    constexpr std::string_view scheme = "local://";
    if (!uri.starts_with(scheme))
        return fail(EINVAL, "Unable to find connector name '{}'", uri.substr(0, uri.find(':')));
    const std::string path{uri.substr(scheme.size())};
    if (path.size() >= sizeof(sockaddr_un::sun_path))
        return fail(ENAMETOOLONG, "{}: socket path of {} bytes, limit {}; use a shorter rundir",
                    path, path.size(), sizeof(sockaddr_un::sun_path) - 1);
    return path;
}

Result<Handle> Handle::open(std::string uri) {
    if (const char* given = std::getenv("FLUX_URI"); uri.empty() && given) uri = given;
    const auto connect = [&]() -> Result<int> {
        if (uri.empty()) return connect_to_own_instance();
        SLUICE_TRY(const std::string path, local_socket_path(uri));
        return connect_to_broker(path);
    };
    SLUICE_TRY(const int socket, connect());
    Handle handle = adopt(socket);
    handle.state_->assumed_ = assumed_credential();
    return handle;
}

Handle Handle::adopt(int socket) { return Handle{std::make_unique<State>(socket)}; }

Handle::Handle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

Matchtag Handle::send(std::string_view topic, const JsonObject& payload, RpcOptions options,
                      OnReply on_reply) {
    Message request = Message::request(std::string{topic}, options.nodeid);
    if (options.upstream) request.flags |= message_flag::upstream;
    if (options.streaming) request.flags |= message_flag::streaming;
    if (options.noresponse) request.flags |= message_flag::noresponse;
    request.set_json(payload);
    return state_->send(std::move(request), std::move(on_reply));
}

Matchtag Handle::send(Message request, OnReply on_reply) {
    return state_->send(std::move(request), std::move(on_reply));
}

Result<Message> Handle::call(Message request) {
    std::optional<Reply> reply;
    state_->send(std::move(request), [&](const Reply& got) { reply = got; });
    state_->run_until([&] { return reply.has_value(); });
    if (!reply) return Error{ECONNRESET};
    if (!reply->ok()) return reply->error();
    return std::move(reply->message);
}

Result<JsonObject> Handle::call(std::string_view topic, const JsonObject& payload,
                                RpcOptions options) {
    std::optional<Reply> reply;
    send(topic, payload, options, [&](const Reply& got) { reply = got; });
    state_->run_until([&] { return reply.has_value(); });
    if (!reply) return Error{ECONNRESET};
    return reply->json();
}

void Handle::cancel(std::string_view topic, Matchtag tag, std::uint32_t nodeid) {
    send(topic, JsonObject{{"matchtag", tag}}, {.nodeid = nodeid, .noresponse = true}, {});
}

void Handle::forget(Matchtag tag) { state_->forget(tag); }

Result<void> Handle::subscribe(std::string_view prefix, OnMessage on_event) {
    SLUICE_CHECK(call("event.subscribe", {{"topic", prefix}}));
    state_->subscriptions_[std::string{prefix}] = std::move(on_event);
    return {};
}

Result<void> Handle::unsubscribe(std::string_view prefix) {
    SLUICE_CHECK(call("event.unsubscribe", {{"topic", prefix}}));
    state_->subscriptions_.erase(std::string{prefix});
    return {};
}

void Handle::send_message(const Message& message) { state_->write(message); }

Result<void> Handle::add_service(std::string_view name, OnMessage on_request) {
    state_->services_[std::string{name}] = std::move(on_request);
    auto added = call("service.add", {{"service", name}});
    if (!added) state_->services_.erase(std::string{name});
    SLUICE_CHECK(added);
    return {};
}

void Handle::register_service(std::string_view name, OnMessage on_request, OnReply on_reply) {
    state_->services_[std::string{name}] = std::move(on_request);
    send("service.add", {{"service", name}}, {}, std::move(on_reply));
}

void Handle::on_pushed_event(std::string_view prefix, OnMessage on_event) {
    state_->subscriptions_[std::string{prefix}] = std::move(on_event);
}

bool Handle::run_until(const std::function<bool()>& done) { return state_->run_until(done); }

bool Handle::flush() {
    return state_->run_until([this] { return !state_->writing_; }) && state_->connected_;
}

bool Handle::connected() const { return state_->connected_; }

void Handle::on_lost(std::function<void()> callback) { state_->on_lost_ = std::move(callback); }

asio::io_context& Handle::io() { return state_->io_; }

Result<std::string> Handle::attr(std::string_view name) {
    SLUICE_TRY(const JsonObject reply, call("attr.get", {{"name", name}}));
    JsonReader in{reply};
    std::string value = in.string("value");
    if (!in) return in.error();
    return value;
}

Result<std::uint32_t> Handle::rank() {
    SLUICE_TRY(const std::string value, attr("rank"));
    return static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
}

Result<std::uint32_t> Handle::size() {
    SLUICE_TRY(const std::string value, attr("size"));
    return static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
}

}  // namespace sluice
