// One request being served. A service answers it at once, or keeps it and answers later; a
// streaming request may be answered many times and ends with fail() or end_stream().
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/message.hpp"
#include "broker/router/router.hpp"

namespace sluice {

class Request {
  public:
    Request(Router& router, Message message) : router_(&router), message_(std::move(message)) {}

    const Message& message() const { return message_; }
    std::string_view topic() const { return message_.topic; }
    bool streaming() const { return message_.has(message_flag::streaming); }
    Matchtag matchtag() const { return message_.matchtag(); }
    UserId userid() const { return message_.cred.userid; }
    /// Owner (or admin) of the instance, not a guest.
    bool privileged() const { return message_.cred.privileged(); }
    bool local() const { return message_.cred.rolemask & role::local; }
    /// Route id of the client that sent it: the first one pushed.
    std::string_view sender() const {
        return message_.routes.empty() ? std::string_view{} : message_.routes.front();
    }

    /// Success without payload.
    void respond() const;
    void respond(const JsonObject& payload) const;
    /// A bare string payload (with its NUL) or raw bytes.
    void respond_text(std::string_view text) const;
    void respond_bytes(std::string bytes) const;
    void respond(const Result<JsonObject>& result) const;
    void respond(const Result<void>& result) const;
    void fail(const Error& error) const;
    /// ENODATA: the normal end of a stream.
    void end_stream() const { fail(Error{ENODATA}); }

  private:
    void send(Message response) const;

    Router* router_;
    Message message_;
};

}  // namespace sluice
