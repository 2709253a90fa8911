// Requests to "<uid>-shell-<f58plain>.*" (wire.md 2.15), and the start of a shell from its first
// message.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "shell/run/shell.hpp"
#include "shell/run/shell_parts.hpp"

namespace sluice::shell {
namespace {

constexpr std::string_view rexec_prefix = "rexec.";

bool receive_all(int socket, char* to, std::size_t size) {
    while (size > 0) {
        const ssize_t got = ::recv(socket, to, size, MSG_WAITALL);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

/// The first message of the launcher, read without a loop: nothing else can be done before it.
Result<Message> receive_launch(int socket) {
    std::string bytes(frame_header_bytes, '\0');
    if (!receive_all(socket, bytes.data(), bytes.size()))
        return fail(ECONNRESET, "the broker is gone");
    SLUICE_CHECK(next_frame(bytes));  // refuses a bad header
    std::uint32_t size = 0;
    for (std::size_t i = 4; i < 8; ++i) size = size << 8 | static_cast<unsigned char>(bytes[i]);
    if (size > message_bytes_max) return fail(EMSGSIZE, "launch message of {} bytes", size);
    bytes.resize(frame_header_bytes + size);
    if (!receive_all(socket, bytes.data() + frame_header_bytes, size))
        return fail(ECONNRESET, "the broker is gone");
    return decode_body(std::string_view{bytes}.substr(frame_header_bytes));
}

/// A job that cannot even be decoded: an exception and exit 1, so that nobody waits for it.
int refuse(Handle handle, const JsonObject& launch, const Error& error) {
    JsonReader in{launch};
    const std::int64_t id = in.integer_or("id", 0);
    JsonObject raise, exit;
    raise["id"] = exit["id"] = id;
    raise["type"] = "exec";
    raise["severity"] = 0;
    raise["note"] = fmt::format("shell: {}", error.text());
    exit["status"] = 1 << 8;
    handle.send("job-manager.raise", raise, {}, [](const Reply&) {});
    handle.send(
        "job-launcher.shell-exit", exit,
        {.nodeid = static_cast<std::uint32_t>(in.integer_or("rank", 0)), .noresponse = true}, {});
    handle.flush();
    return 1;
}

}  // namespace

ShellEnd run_shell(OwnedFd socket, const Topology* topology, SpareFolder& spare) {
    const auto message = receive_launch(socket.get());
    const auto launch =
        message ? parse_json_object(message->text()) : Result<JsonObject>{message.error()};
    if (!launch) {
        std::fprintf(stderr, "flux-shell: launch: %s\n", launch.error().text().c_str());
        return {};
    }
    Handle handle = Handle::adopt(socket.release());
    auto info = LaunchInfo::from_json(*launch);
    if (!info) return {refuse(std::move(handle), *launch, info.error()), false};
    Shell shell{std::move(handle), *std::move(info), topology, spare};
    const int code = shell.run();
    return {code, shell.clean()};
}

/// `flux exec --jobid` starts processes on this node; they have the caller's environment.
void Shell::start_rexec() {
    rexec_.emplace(RexecServer::Options{
        .io = handle_.io(),
        .rank = info_.rank.value,
        .uri = [this] { return info_.uri; },
        .respond = [this](Message response) { handle_.send_message(response); },
        .log = [this](sluice::LogLevel, const std::string& text) { debug("rexec", text); },
        .on_idle = [this] { try_finish(); }});
}

void Shell::start_service() {
    start_rexec();
    proctable_.emplace(handle_, info_, tasks_);
    if (options_.pty && options_.pty->interactive && info_.leader())
        terminus_.emplace(handle_, info_.service());
    handle_.register_service(
        info_.service(), [this](const Message& request) { on_request(request); },
        [this](const Reply& reply) {
            if (!reply.ok())
                perform(fsm_->on_fatal(
                    {LogLevel::fatal, "",
                     fmt::format("service {}: {}", info_.service(), reply.error().text())}));
        });
}

void Shell::on_request(const Message& request) {
    const std::string_view method = request.method();
    const bool allowed = request.cred.userid == info_.userid || request.cred.privileged();
    if (on_client_notice(request)) return;
    if (!allowed) return respond(request, EPERM);
    if (method.starts_with(rexec_prefix) && rexec_) {
        if (!rexec_->serve(method.substr(rexec_prefix.size()), request)) respond(request, ENOSYS);
        return;
    }
    if (method == "stdin") return input_->on_stdin(request);
    if (method == "input") return input_->on_forwarded(request);
    if (method == "proctable") return proctable_->on_request(request);
    if (method == "pmi-exchange" && pmi_) return pmi_->on_exchange_request(request);
    if (method == "pmix-fence" && pmix_) return pmix_->on_fence_request(request);
    if (method == "pmix-modex" && pmix_) return pmix_->on_modex_request(request);
    if (method == Terminus::method && terminus_) return terminus_->on_request(request);
    const auto payload = parse_json_object(request.text());
    if (!payload) return respond(request, EPROTO);
    if (method == "write") {
        output_->on_remote_write(*payload);
        return respond(request, 0);
    }
    if (method == "doom") return on_doom(*payload);
    if (method == "tasks-complete") return on_complete(*payload);
    if (method == "exception") return on_exception(request, *payload);
    respond(request, ENOSYS);
}

/// What a broker tells of a client, below the name of the service or of the part that it used.
bool Shell::on_client_notice(const Message& request) {
    const std::string_view method = request.method();
    const std::string_view word = method.substr(method.rfind('.') + 1);
    if (word == "disconnect") {
        if (terminus_) terminus_->on_disconnect(request);
        if (rexec_) rexec_->serve(word, request);
    } else if (word == "client-slow" || word == "client-ready") {
        const bool slow = word == "client-slow";
        if (terminus_) terminus_->on_client_pace(request, slow);
        if (rexec_) rexec_->on_client_pace(request, slow);
    } else {
        return false;
    }
    return true;
}

void Shell::on_doom(const JsonObject& payload) {
    const auto exit = task_exit_from_json(payload);
    if (!exit) return;  // not from a shell of ours
    JsonReader in{payload};
    perform(fsm_->on_follower_exit(*exit, in.string_or("hostname", "?")));
}

void Shell::on_complete(const JsonObject& payload) {
    JsonReader in{payload};
    const auto shell = in.integer("shell_rank");
    if (in) perform(fsm_->on_follower_complete(static_cast<std::uint32_t>(shell)));
}

void Shell::on_exception(const Message& request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string type = in.string("type");
    const auto shell = in.integer("shell_rank");
    const std::string message = in.string_or("message", "");
    if (!in || type != "lost-shell") return respond(request, EINVAL);
    if (!message.empty()) output_->log({LogLevel::warning, "exception", message});
    respond(request, 0);
    perform(fsm_->on_follower_complete(static_cast<std::uint32_t>(shell)));
}

void Shell::respond(const Message& request, int errnum) {
    if (!request.has(message_flag::noresponse))
        handle_.send_message(Message::response(request, errnum));
}

void Shell::tell_leader(std::string_view method, const JsonObject& payload) {
    handle_.send(fmt::format("{}.{}", info_.service(), method), payload,
                 {.nodeid = info_.broker_rank(0), .noresponse = true}, {});
}

}  // namespace sluice::shell
