#include "broker/service/request.hpp"

namespace sluice {

void Request::send(Message response) const {
    if (message_.has(message_flag::noresponse)) return;
    response.cred = {router_->owner(), role::owner | role::local};
    router_->response(std::move(response));
}

void Request::respond() const { send(Message::response(message_)); }

void Request::respond(const JsonObject& payload) const {
    Message response = Message::response(message_);
    response.set_json(payload);
    send(std::move(response));
}

void Request::respond_text(std::string_view text) const {
    Message response = Message::response(message_);
    response.set_text(text);
    send(std::move(response));
}

void Request::respond_bytes(std::string bytes) const {
    Message response = Message::response(message_);
    response.set_bytes(std::move(bytes));
    send(std::move(response));
}

void Request::respond(const Result<JsonObject>& result) const {
    if (result) {
        respond(*result);
    } else {
        fail(result.error());
    }
}

void Request::respond(const Result<void>& result) const {
    if (result) {
        respond();
    } else {
        fail(result.error());
    }
}

void Request::fail(const Error& error) const { router_->respond_error(message_, error); }

}  // namespace sluice
