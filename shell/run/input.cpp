#include "shell/run/input.hpp"

#include <fcntl.h>

#include <algorithm>
#include <utility>

namespace sluice::shell {
namespace {

constexpr const char* input_path = "guest.input";
constexpr std::size_t backlog_bytes_max = std::size_t{256} << 10;  // of a task that does not read
constexpr std::uint64_t kept_bytes_max = std::uint64_t{32} << 20;
constexpr std::uint64_t kept_bytes_default = std::uint64_t{10} << 20;

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

/// The input log takes what its limit allows. A limit that the user set ends the job, one that he
/// did not set only ends the log: the tasks get all.
Result<void> Input::keep(const JsonObject& payload, std::size_t bytes) {
    const auto& wanted = parts_.options.input_limit;
    const std::uint64_t limit = std::min(wanted.value_or(kept_bytes_default), kept_bytes_max);
    kept_bytes_ += bytes;
    if (kept_bytes_ <= limit) {
        parts_.log.add(input_path, {wall_clock_now(), "data", payload});
        return {};
    }
    if (!wanted) return {};
    return fail(EFBIG,
                "stdin exceeds {} limit. Try file input (flux submit --input=FILE) or redirect "
                "input to your command to avoid the KVS for large amounts of input",
                parts_.options.input_limit_text);
}

bool Input::has_room() const {
    return !parts_.log.congested() && std::ranges::all_of(parts_.tasks, [](const auto& task) {
        return task->input_backlog() <= backlog_bytes_max;
    });
}

void Input::when_room(std::function<void()> then) {
    if (has_room()) return then();
    waiting_for_room_.push_back(std::move(then));
}

void Input::on_room() {
    if (waiting_for_room_.empty() || !has_room()) return;
    for (const auto& then : std::exchange(waiting_for_room_, {})) then();
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
    if (const auto kept = keep(*payload, io->data.size()); !kept) {
        answer(request, EFBIG);
        return parts_.on_fatal({LogLevel::fatal, "input", kept.error().text()});
    }
    // Two things must happen before the client may send more; the one that is last answers, unless
    // the shell's end did.
    const auto waiting = std::make_shared<Unanswered>(Unanswered{request, 2});
    unanswered_.push_back(waiting);
    const auto done = [this, waiting] {
        if (--waiting->missing == 0 && std::erase(unanswered_, waiting) > 0)
            answer(waiting->request, 0);
    };
    when_room(done);
    forward(*payload, done);
}

void Input::finish() {
    for (const auto& then : std::exchange(waiting_for_room_, {})) then();
    for (const auto& waiting : std::exchange(unanswered_, {})) answer(waiting->request, 0);
}

void Input::on_forwarded(const Message& request) {
    const auto payload = parse_json_object(request.text());
    const auto io = payload ? decode_io(*payload) : Result<IoData>{payload.error()};
    if (!io) return answer(request, EPROTO);
    // Tasks that closed their input are no fault of the sender.
    static_cast<void>(deliver(*io));
    forward(*payload, [this, request] { when_room([this, request] { answer(request, 0); }); });
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
