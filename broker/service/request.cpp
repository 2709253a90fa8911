#include "broker/service/request.hpp"

namespace sluice {

void Request::send(Message response) const {
    if (message_.has(message_flag::noresponse)) return;
    response.cred = {router_->owner(), role::owner | role::local};
    if (router_->on_service_message)
        router_->on_service_message(
            {MessageTrace::Way::sent, message_.service(), -1, response});
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

void Request::fail(const Error& error) const {
    Message response = Message::response(message_, error.errnum());
    if (error.has_text()) response.set_text(error.text());
    send(std::move(response));
}

}  // namespace sluice
