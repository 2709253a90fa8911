#include "shell/run/pmi_server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "base/rfc/fluid.hpp"

namespace sluice::shell {

using boost::system::error_code;

namespace {

Result<pmi::KeyValues> decode_keys(const JsonObject& object) {
    pmi::KeyValues keys;
    for (const auto& entry : object) {
        if (!entry.value().is_string())
            return fail(EPROTO, "pmi-exchange: {}: not a string", std::string_view{entry.key()});
        keys[entry.key()] = std::string(entry.value().get_string());
    }
    return keys;
}

JsonObject encode_keys(const pmi::KeyValues& keys) {
    JsonObject object;
    for (const auto& [key, value] : keys) object[key] = value;
    return object;
}

}  // namespace

PmiServer::PmiServer(Parts parts)
    : parts_(std::move(parts)),
      fsm_({.kvsname = to_f58(parts_.info.id),
            .universe_size = parts_.plan.ntasks,
            .clients = static_cast<std::uint32_t>(parts_.plan.ranks.size())}),
      exchange_({parts_.info.shell_rank, parts_.info.nnodes, parts_.options.exchange_fanout,
                 !parts_.plan.ranks.empty()}),
      clients_(parts_.plan.ranks.size()) {
    preload();
}

void PmiServer::preload() {
    if (parts_.options.pmi_map) {
        fsm_.preload("PMI_process_mapping", parts_.plan.taskmap.to_pmi());
        fsm_.preload("flux.taskmap", dump_json(parts_.plan.taskmap.to_wrapped_json()));
    }
    fsm_.preload("flux.instance-level", std::to_string(parts_.info.instance_level + 1));
    if (!parts_.info.interface_hint.empty())
        fsm_.preload("flux.tbon-interface-hint", parts_.info.interface_hint);
}

Result<OwnedFd> PmiServer::connect(std::uint32_t localid) {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return fail(errno, "PMI socket: {}", Error{errno}.text());
    clients_[localid] =
        std::make_unique<Socket>(parts_.handle.io(), boost::asio::local::stream_protocol(), fds[0]);
    clients_[localid]->non_blocking(true);
    read(localid);
    return OwnedFd{fds[1]};
}

void PmiServer::read(std::uint32_t localid) {
    Socket& socket = *clients_[localid];
    socket.async_wait(Socket::wait_read, [this, localid](const error_code& error) {
        if (error || !clients_[localid]) return;
        char buffer[8192];
        const ssize_t got = ::read(clients_[localid]->native_handle(), buffer, sizeof buffer);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            clients_[localid].reset();  // the task closed it; its exit tells the rest
            return;
        }
        used_ = used_ || got > 0;
        if (got > 0) perform(fsm_.on_bytes(localid, {buffer, static_cast<std::size_t>(got)}));
        if (clients_[localid]) read(localid);
    });
}

void PmiServer::perform(const pmi::Actions& actions) {
    for (const pmi::Action& action : actions) {
        if (const auto* reply = std::get_if<pmi::Reply>(&action)) {
            // Replies are short and asked for one by one: the socket's buffer holds them.
            if (const auto& client = clients_[reply->client])
                ::send(client->native_handle(), reply->line.data(), reply->line.size(),
                       MSG_NOSIGNAL);
        } else if (const auto* close = std::get_if<pmi::Close>(&action)) {
            clients_[close->client].reset();
        } else if (const auto* exchange = std::get_if<pmi::Exchange>(&action)) {
            step(exchange_.on_local(exchange->keys));
        } else if (const auto* abort = std::get_if<pmi::Abort>(&action)) {
            parts_.on_abort(
                fmt::format("PMI_Abort: {}", abort->message.empty() ? "aborted" : abort->message),
                abort->exit_code);
        } else if (const auto* error = std::get_if<pmi::ProtocolError>(&action)) {
            parts_.on_protocol_error(fmt::format("PMI-1 wire protocol error: task {}: {}",
                                                 parts_.plan.ranks[error->client], error->line));
        }
    }
}

void PmiServer::step(const PmiExchange::Step& step) {
    if (step.to_parent) send_up(*step.to_parent);
    if (!step.to_children) return;
    const JsonObject keys = encode_keys(*step.to_children);
    for (const Message& request : std::exchange(child_requests_, {})) {
        Message response = Message::response(request);
        response.set_json(keys);
        parts_.handle.send_message(response);
    }
    if (!parts_.plan.ranks.empty()) perform(fsm_.on_exchange(*step.to_children));
}

void PmiServer::send_up(const pmi::KeyValues& keys) {
    const std::uint32_t broker = parts_.info.broker_rank(*exchange_.parent());
    parts_.handle.send(parts_.info.service() + ".pmi-exchange", encode_keys(keys),
                       {.nodeid = broker}, [this](const Reply& reply) {
                           const auto object = reply.json();
                           const auto all = object ? decode_keys(*object)
                                                   : Result<pmi::KeyValues>{object.error()};
                           if (!all) return exchange_failed();
                           step(exchange_.on_parent(*all));
                       });
}

void PmiServer::exchange_failed() {
    for (const Message& request : std::exchange(child_requests_, {}))
        parts_.handle.send_message(Message::response(request, EIO));
    if (!parts_.plan.ranks.empty()) perform(fsm_.on_exchange_failed());
}

void PmiServer::on_exchange_request(const Message& request) {
    const auto object = parse_json_object(request.text());
    const auto keys = object ? decode_keys(*object) : Result<pmi::KeyValues>{object.error()};
    if (!keys) {
        parts_.handle.send_message(Message::response(request, EPROTO));
        return;
    }
    child_requests_.push_back(request);
    step(exchange_.on_child(*keys));
}

}  // namespace sluice::shell
