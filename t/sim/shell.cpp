#include "t/sim/shell.hpp"

#include <algorithm>
#include <csignal>

#include "base/rfc/resource_set.hpp"

namespace sluice::sim {

Shell::Shell(Host& host, JobId id, int pid, Hooks hooks)
    : host_(host), id_(id), pid_(pid), hooks_(std::move(hooks)) {}

void Shell::later(Time delay, void (Shell::*work)(int), int argument) {
    world().after(delay, [self = weak_from_this(), work, argument] {
        if (const auto shell = self.lock(); shell && shell->alive_)
            (shell.get()->*work)(argument);
    });
}

void Shell::receive(const Message& message) {
    if (!alive_) return;
    if (message.type == MessageType::response) {
        const auto found = pending_.extract(message.matchtag());
        if (!found.empty()) found.mapped()(message);
        return;
    }
    const JsonObject payload = parse_json_object(message.text()).value_or({});
    if (message.topic == "shell.launch") return launch(payload);
    if (message.topic != fmt::format("shell-{}.kill", id_)) return;
    JsonReader in{payload};
    const int signum = static_cast<int>(in.integer("signum"));
    if (stubborn_ && signum != SIGKILL) return;
    later(world().rng.range(1, 20) * millisecond, &Shell::finish, (128 + signum) << 8);
}

void Shell::launch(const JsonObject& job) {
    JsonReader in{job};
    nnodes_ = in.integer("nnodes");
    const auto R = ResourceSet::parse(in.string("R"));
    const JsonObject jobspec = parse_json_object(in.string("jobspec")).value_or({});
    const auto* node = R ? R->find(host_.rank()) : nullptr;
    if (!in || !node) return world().wrong(fmt::format("job {}: launch without a place", id_));
    cores_ = node->cores;
    if (const Json* sim = find_path(jobspec, "attributes.user.sim")) {
        JsonReader user{sim->as_object()};
        seconds_ = user.number("seconds");
        status_ = static_cast<int>(user.integer("status"));
        stubborn_ = user.boolean("stubborn");
    }
    hooks_.launched(*this);
    if (nnodes_ == 1) return run_tasks();
    barrier([this] { run_tasks(); });
}

void Shell::request(std::string topic, const JsonObject& payload,
                    std::function<void(const Message&)> on_reply) {
    if (!connected_) return;
    Message message = Message::request(std::move(topic), 0);
    message.set_json(payload);
    if (on_reply) message.aux2 = next_tag_++;
    else message.flags |= message_flag::noresponse;
    if (on_reply) pending_[message.aux2] = std::move(on_reply);
    hooks_.send(std::move(message));
}

void Shell::barrier(std::function<void()> then) {
    request("job-exec.shell-barrier", {{"id", id_.value}, {"rank", host_.rank()}},
            [this, then = std::move(then)](const Message& reply) {
                if (reply.errnum()) finish(1 << 8);
                else then();
            });
}

void Shell::append(const char* text, std::function<void()> then) {
    const std::string line =
        fmt::format("{{\"timestamp\":1.0,\"name\":\"{}\",\"context\":{{\"rank\":\"{}\"}}}}\n", text,
                    host_.rank());
    request("job-exec.append",
            {{"id", id_.value}, {"logs", JsonObject{{"guest.output", line}}}},
            [then = std::move(then)](const Message&) { then(); });
}

void Shell::run_tasks() {
    if (ending_) return;
    append("data", [] {});
    later(static_cast<Time>(seconds_ * second), &Shell::finish, status_);
}

/// All tasks have ended: what they said goes first, then the status, then the connection.
void Shell::finish(int status) {
    if (!alive_ || std::exchange(ending_, true)) return;
    append("eof", [this, status] {
        Message last = Message::request("job-launcher.shell-exit", host_.rank());
        last.flags |= message_flag::noresponse;
        last.set_json(JsonObject{{"id", id_.value}, {"status", status}});
        hooks_.send(std::move(last));
        told_ = true;
        later(world().rng.range(50, 2000) * microsecond, &Shell::die, 0);
    });
}

void Shell::kill(int signum) { die(signum); }

void Shell::on_lost() {
    if (!std::exchange(connected_, false)) return;
    later(world().rng.range(1, 400) * millisecond, &Shell::die, 1 << 8);
}

void Shell::die(int status) {
    if (!std::exchange(alive_, false)) return;
    const auto self = shared_from_this();
    std::erase(host_.shells, self);
    hooks_.close();
    hooks_.exited(status);
    hooks_ = {};
}

}  // namespace sluice::sim
