#include "shell/run/input.hpp"

#include <fcntl.h>

#include <utility>

namespace sluice::shell {
namespace {

constexpr const char* input_path = "guest.input";

}  // namespace

Result<void> Input::begin() {
    const auto& path = parts_.options.stdin_path;
    if (path) SLUICE_CHECK(open_file());
    if (!parts_.info.leader()) return {};
    parts_.log.add(input_path, input_header(wall_clock_now()));
    if (path) parts_.log.add(input_path, redirect_record(wall_clock_now(), "stdin", "all", *path));
    return {};
}

Result<OwnedFd> Input::open_file() const {
    const auto& path = parts_.options.stdin_path;
    if (!path) return OwnedFd{};
    OwnedFd file{::open(path->c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.get() < 0)
        return fail(errno, "error opening input file '{}': {}", *path, Error{errno}.text());
    return file;
}

Result<void> Input::deliver(const IoData& io) {
    const bool all = io.rank == "all";
    Idset ranks;
    if (!all) {
        SLUICE_TRY(ranks, Idset::parse(io.rank));
    }
    bool wanted = false, taken = false;
    for (const auto& task : parts_.tasks) {
        const bool addressed = all || ranks.contains(task->rank());
        wanted = wanted || addressed;
        if (addressed && !io.data.empty() && task->write_input(io.data)) taken = true;
        // The end is for all tasks: one that was not addressed would wait for ever.
        if (io.eof) task->end_input();
        taken = taken || io.eof;
    }
    if (wanted && !taken && !io.data.empty()) return Error{EPIPE};
    return {};
}

void Input::on_stdin(const Message& request) {
    if (parts_.options.stdin_path || !parts_.info.leader()) return answer(request, ENOSYS);
    const auto payload = parse_json_object(request.text());
    const auto io = payload ? decode_io(*payload) : Result<IoData>{payload.error()};
    if (!io) return answer(request, EPROTO);
    const auto delivered = deliver(*io);
    // With more shells, tasks elsewhere may still read.
    if (!delivered && (delivered.error().errnum() != EPIPE || parts_.info.nnodes == 1))
        return answer(request, delivered.error().errnum());
    Event event{wall_clock_now(), "data", *payload};
    // Two things must happen before the client may send more; the one that is last answers, unless
    // the shell's end did.
    const auto waiting = std::make_shared<Unanswered>(Unanswered{request, 2});
    unanswered_.push_back(waiting);
    const auto done = [this, waiting] {
        if (--waiting->missing == 0 && std::erase(unanswered_, waiting) > 0)
            answer(waiting->request, 0);
    };
    parts_.log.add(input_path, event, [done](const Result<void>&) { done(); });
    if (!request.has(message_flag::noresponse)) parts_.log.flush();  // the client waits for it
    forward(*payload, done);
}

void Input::finish() {
    for (const auto& waiting : std::exchange(unanswered_, {})) answer(waiting->request, 0);
}

void Input::on_forwarded(const Message& request) {
    const auto payload = parse_json_object(request.text());
    const auto io = payload ? decode_io(*payload) : Result<IoData>{payload.error()};
    if (!io) return answer(request, EPROTO);
    // Tasks that closed their input are no fault of the sender.
    static_cast<void>(deliver(*io));
    forward(*payload, [this, request] { answer(request, 0); });
}

void Input::forward(const JsonObject& payload, std::function<void()> done) {
    const std::uint64_t first = std::uint64_t{parts_.info.shell_rank} * fanout + 1;
    const std::uint64_t end = std::min<std::uint64_t>(first + fanout, parts_.info.nnodes);
    if (first >= end) return done();
    const auto missing = std::make_shared<std::uint64_t>(end - first);
    for (std::uint64_t shell = first; shell < end; ++shell)
        parts_.handle.send(parts_.info.service() + ".input", payload,
                           {.nodeid = parts_.info.broker_rank(static_cast<std::uint32_t>(shell))},
                           [missing, done](const Reply&) {
                               if (--*missing == 0) done();
                           });
}

void Input::answer(const Message& request, int errnum) {
    if (!request.has(message_flag::noresponse))
        parts_.handle.send_message(Message::response(request, errnum));
}

}  // namespace sluice::shell
