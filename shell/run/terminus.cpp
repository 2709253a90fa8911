#include "shell/run/terminus.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "base/base64.hpp"
#include "shell/output_records.hpp"

namespace sluice::shell {
namespace {

constexpr std::size_t backlog_bytes_max = std::size_t{1} << 20;
/// Input over the first is answered when the task has taken it; over the second it is refused, for
/// there are clients that do not wait for answers.
constexpr std::size_t input_bytes = std::size_t{64} << 10, input_bytes_max = std::size_t{16} << 20;

JsonObject data_payload(std::string_view data) {
    JsonObject payload;
    payload["type"] = "data";
    if (is_utf8_text(data)) {
        payload["data"] = data;
    } else {
        payload["data"] = base64_encode(data);
        payload["encoding"] = "base64";
    }
    return payload;
}

std::string_view sender(const Message& message) {
    return message.routes.empty() ? std::string_view{} : message.routes.front();
}

}  // namespace

void Terminus::on_request(const Message& request) {
    const auto payload = parse_json_object(request.text());
    if (!payload) return handle_.send_message(Message::response(request, EPROTO));
    JsonReader in{*payload};
    const std::string type = in.string("type");
    if (type == "attach") return attach(request, *payload);
    Client* client = find(request);
    if (type == "resize") {
        resize(*payload);
    } else if (type == "data" && client) {
        return this->type(request, *client, *payload);
    } else if (type == "detach") {
        if (client) {
            handle_.send_message(Message::response(client->request, ENODATA));
            on_disconnect(request);
        }
    }
    answer(request, 0);
}

void Terminus::answer(const Message& request, int errnum) {
    if (!request.has(message_flag::noresponse))
        handle_.send_message(Message::response(request, errnum));
}

void Terminus::type(const Message& request, const Client& client, const JsonObject& payload) {
    // An end that was already told, or a client that may only look: nothing to type into.
    if (!task_ || !client.writes) return answer(request, 0);
    if (task_->input_backlog() > input_bytes_max) return answer(request, ENOSPC);
    JsonReader in{payload};
    std::string data = in.string_or("data", "");
    if (in.string_or("encoding", "") == "base64")
        data = base64_decode(data).value_or(std::string{});
    static_cast<void>(task_->write_input(data));
    if (task_->input_backlog() <= input_bytes) return answer(request, 0);
    unanswered_.push_back(request);
}

void Terminus::on_room() {
    if (task_ && task_->input_backlog() > input_bytes) return;
    for (const Message& request : std::exchange(unanswered_, {})) answer(request, 0);
}

void Terminus::attach(const Message& request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string mode = in.string_or("mode", "rw");
    Client client{request, mode != "wo", mode != "ro"};
    resize(payload);
    JsonObject hello;
    hello["type"] = "attach";
    respond(request, hello);
    if (client.reads && !backlog_.empty()) {
        respond(request, data_payload(backlog_));
        backlog_.clear();
    }
    if (ended_) return handle_.send_message(Message::response(request, ENODATA));
    clients_.push_back(std::move(client));
    give_up();
}

void Terminus::resize(const JsonObject& payload) {
    const JsonObject* size = JsonReader{payload}.maybe_object("winsize");
    if (!size || !task_ || task_->terminal() < 0) return;
    JsonReader in{*size};
    winsize window{};
    window.ws_row = static_cast<unsigned short>(in.integer_or("rows", 0));
    window.ws_col = static_cast<unsigned short>(in.integer_or("cols", 0));
    ::ioctl(task_->terminal(), TIOCSWINSZ, &window);
}

void Terminus::on_disconnect(const Message& request) {
    std::erase_if(clients_,
                  [&](const Client& client) { return sender(client.request) == sender(request); });
    std::erase_if(unanswered_,
                  [&](const Message& input) { return sender(input) == sender(request); });
    if (task_) task_->resume_output();
}

void Terminus::on_client_pace(const Message& request, bool slow) {
    Client* client = find(request);
    if (!client) return;
    client->slow = slow;
    if (!slow && task_) task_->resume_output();
}

bool Terminus::congested() const {
    if (!visited_) return backlog_.size() >= backlog_bytes_max;
    return std::ranges::any_of(clients_,
                               [](const Client& client) { return client.reads && client.slow; });
}

void Terminus::on_output(std::string_view data) {
    const JsonObject payload = data_payload(data);
    bool shown = false;
    for (const Client& client : clients_) {
        if (!client.reads) continue;
        respond(client.request, payload);
        shown = true;
    }
    if (shown) return;
    backlog_ += data;
    if (backlog_.size() > backlog_bytes_max) backlog_.erase(0, backlog_.size() - backlog_bytes_max);
}

void Terminus::give_up() {
    visited_ = true;
    if (task_) task_->resume_output();
    if (const auto end = std::exchange(waiting_end_, {})) end();
}

void Terminus::end(int wait_status, std::function<void()> done) {
    task_ = nullptr;
    on_room();
    if (!visited_) {
        waiting_end_ = [this, wait_status, done = std::move(done)] { end(wait_status, done); };
        return;
    }
    ended_ = true;
    JsonObject payload;
    payload["type"] = "exit";
    payload["message"] = "session exiting";
    payload["status"] = wait_status;
    for (const Client& client : std::exchange(clients_, {})) {
        respond(client.request, payload);
        handle_.send_message(Message::response(client.request, ENODATA));
    }
    done();
}

void Terminus::respond(const Message& request, const JsonObject& payload) {
    Message response = Message::response(request);
    response.set_json(payload);
    handle_.send_message(response);
}

Terminus::Client* Terminus::find(const Message& request) {
    const auto found = std::ranges::find_if(
        clients_, [&](const Client& client) { return sender(client.request) == sender(request); });
    return found == clients_.end() ? nullptr : &*found;
}

}  // namespace sluice::shell
