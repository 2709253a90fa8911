#include "base/rexec/server.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace sluice {
namespace {

constexpr std::size_t output_lines_max = 1024;  // kept of a waitable process; the rest is dropped

std::vector<std::string> own_environment() {
    std::vector<std::string> entries;
    for (char** entry = environ; *entry; ++entry) entries.emplace_back(*entry);
    return entries;
}

std::string_view sender(const Message& message) {
    return message.routes.empty() ? std::string_view{} : message.routes.front();
}

bool is_folder(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

std::string_view RexecServer::Process::program() const {
    const std::string_view path = request.command.cmdline.front();
    return path.substr(path.rfind('/') + 1);
}

RexecServer::~RexecServer() {
    kill_all(SIGKILL);
}

bool RexecServer::serve(std::string_view method, const Message& request) {
    struct Row {
        std::string_view method;
        Result<void> (RexecServer::*handler)(const Message&, const JsonObject&);
    };
    static constexpr Row rows[] = {
        {"exec", &RexecServer::exec}, {"write", &RexecServer::write},
        {"kill", &RexecServer::kill}, {"list", &RexecServer::list},
        {"wait", &RexecServer::wait}, {"attach", &RexecServer::attach},
    };
    if (method == "disconnect") return disconnect(request), true;
    for (const Row& row : rows) {
        if (row.method != method) continue;
        JsonObject payload;
        if (request.payload) {
            auto decoded = parse_json_object(request.text());
            if (!decoded) return fail_request(request, decoded.error()), true;
            payload = *std::move(decoded);
        }
        const Result<void> done = (this->*row.handler)(request, payload);
        if (!done) fail_request(request, done.error());
        return true;
    }
    return false;
}

void RexecServer::respond(const Message& request, const JsonObject& payload) {
    if (request.has(message_flag::noresponse)) return;
    Message response = Message::response(request);
    if (!payload.empty()) response.set_json(payload);
    options_.respond(std::move(response));
}

void RexecServer::fail_request(const Message& request, const Error& error) {
    if (request.has(message_flag::noresponse)) return;
    Message response = Message::response(request, error.errnum());
    if (error.has_text()) response.set_text(error.text());
    options_.respond(std::move(response));
}

void RexecServer::stream(const Process& process, const JsonObject& payload) {
    if (process.foreground) respond(process.exec, payload);
    else if (process.attached) respond(*process.attached, payload);
}

void RexecServer::end_streams(const Process& process) {
    if (process.foreground) fail_request(process.exec, Error{ENODATA});
    else if (process.attached) fail_request(*process.attached, Error{ENODATA});
}

Result<void> RexecServer::check_exec(const RexecRequest& request, bool foreground) const {
    if (foreground && request.has(rexec_flag::waitable))
        return fail(EINVAL, "waitable flag only supported in background mode");
    if (!foreground && request.has(rexec_flag::write_credit))
        return fail(EINVAL, "write-credit flag is not allowed in background mode");
    if (!foreground && !request.command.channels.empty())
        return fail(EINVAL, "auxiliary channels are not allowed in background mode");
    const std::string& label = request.command.label;
    for (const Process& other : processes_)
        if (!label.empty() && other.request.command.label == label)
            return fail(EEXIST, "label '{}' is taken by process {}", label, other.started_pid);
    return {};
}

Result<void> RexecServer::exec(const Message& message, const JsonObject& payload) {
    SLUICE_TRY(RexecRequest request, decode_rexec(payload));
    const bool foreground = message.has(message_flag::streaming);
    SLUICE_CHECK(check_exec(request, foreground));
    SLUICE_CHECK(buffer_bytes(request.command, "stdin"));
    SubprocessOptions options =
        subprocess_options(request, foreground, own_environment(), options_.uri());
    std::string remark;
    if (!options.cwd.empty() && !is_folder(options.cwd)) {
        // The caller's folder need not exist on this host, and the command may not need it.
        remark = fmt::format(
            "Could not change dir to {}: No such file or directory. Going to /tmp "
            "instead\n",
            options.cwd);
        options.cwd = "/tmp";
    }
    Process& process = processes_.emplace_back();
    process.exec = message;
    process.request = std::move(request);
    process.foreground = foreground;
    auto child = Subprocess::start(options_.io, std::move(options), callbacks(&process));
    if (!child) {
        processes_.pop_back();
        return fail(child.error().errnum(), "error launching process: {}",
                    Error{child.error().errnum()}.text());
    }
    process.child = *std::move(child);
    process.started_pid = process.child->pid();
    respond(message, {{"type", "started"}, {"pid", process.started_pid}});
    if (foreground && process.request.has(rexec_flag::write_credit)) grant_initial_credit(process);
    if (foreground && !remark.empty() && process.request.has(rexec_flag::stderr_))
        on_output(process, "stderr", remark);
    return {};
}

void RexecServer::grant_initial_credit(const Process& process) {
    JsonObject channels;
    const auto grant = [&](const std::string& stream) {
        if (const auto bytes = buffer_bytes(process.request.command, stream))
            channels[stream] = *bytes;
    };
    grant("stdin");
    if (process.request.has(rexec_flag::channel))
        for (const std::string& name : process.request.command.channels) grant(name);
    stream(process, {{"type", "add-credit"}, {"channels", std::move(channels)}});
}

Subprocess::Callbacks RexecServer::callbacks(Process* process) {
    return {
        .on_output = [this, process](std::string_view name,
                                     std::string_view data) { on_output(*process, name, data); },
        .on_written =
            [this, process](std::string_view name, std::size_t bytes) {
                if (!process->request.has(rexec_flag::write_credit)) return;
                stream(*process, {{"type", "add-credit"}, {"channels", JsonObject{{name, bytes}}}});
            },
        .on_exit =
            [this, process](int status) {
                process->status = status;
                stream(*process, {{"type", "finished"}, {"status", status}});
            },
        .on_complete = [this, process](int status) { on_complete(*process, status); }};
}

void RexecServer::on_output(Process& process, std::string_view name, std::string_view data) {
    IoData io{.stream = std::string{name},
              .rank = fmt::format("{}", options_.rank),
              .data = std::string{data},
              .eof = data.empty()};
    stream(process, {{"type", "output"}, {"pid", process.started_pid}, {"io", encode_io(io)}});
    if (process.foreground || io.eof) return;
    if (process.request.has(rexec_flag::waitable) && process.output.size() < output_lines_max)
        process.output.push_back(io);
    while (io.data.ends_with('\n')) io.data.pop_back();
    const std::string& label = process.request.command.label;
    options_.log(name == "stderr" ? LogLevel::err : LogLevel::info,
                 fmt::format("{}[{}]: {}", label.empty() ? process.program() : label,
                             process.started_pid, io.data));
}

/// A background process tells the log how it ended, attached or not.
void RexecServer::log_end(const Process& process, int status) {
    const std::string& label = process.request.command.label;
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("Killed by signal {}", WTERMSIG(status))
                                : fmt::format("Exit {}", WEXITSTATUS(status));
    options_.log(LogLevel::info, fmt::format("{}{}{}[{}]: {}", label, label.empty() ? "" : ": ",
                                                process.program(), process.started_pid, how));
}

void RexecServer::on_complete(Process& process, int status) {
    process.status = status;
    process.finished = true;
    if (!process.foreground) log_end(process, status);
    end_streams(process);
    // Who is attached has the status now, and that reaps the process.
    if (process.foreground || process.attached || !process.request.has(rexec_flag::waitable)) {
        remove(&process);
    } else if (process.waiter) {
        answer_waiter(process);
    }
    if (idle()) options_.on_idle();
}

bool RexecServer::has(std::int64_t pid) const {
    return std::ranges::any_of(
        processes_, [pid](const Process& process) { return process.started_pid == pid; });
}

bool RexecServer::idle() const {
    return std::ranges::all_of(processes_, &Process::finished);
}

void RexecServer::answer_waiter(Process& process) {
    JsonObject payload{{"status", *process.status}};
    if (!process.output.empty()) {
        JsonArray output;
        for (const IoData& io : process.output) output.push_back(encode_io(io));
        payload["output"] = std::move(output);
    }
    respond(*process.waiter, payload);
    remove(&process);
}

void RexecServer::remove(const Process* process) {
    processes_.remove_if([&](const Process& other) { return &other == process; });
}

Result<RexecServer::Process*> RexecServer::find(const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t pid = in.integer("pid");
    const std::string label = in.string_or("label", "");
    if (!in) return in.error();
    for (Process& process : processes_)
        if (label.empty() ? process.started_pid == pid : process.request.command.label == label)
            return &process;
    if (label.empty()) return fail(ESRCH, "pid {} does not belong to any subprocess", pid);
    return fail(ESRCH, "label {} does not belong to any subprocess", label);
}

Result<void> RexecServer::write(const Message& message, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t matchtag = in.integer("matchtag");
    const JsonObject& object = in.object("io");
    if (!in) return in.error();
    SLUICE_TRY(const IoData io, decode_io(object));
    for (Process& process : processes_) {
        if (!process.foreground || sender(process.exec) != sender(message) ||
            process.exec.matchtag() != matchtag)
            continue;
        // The child may have closed its end; what is written then has no reader, as with a pipe.
        if (!io.data.empty()) (void)process.child->write(io.stream, io.data);
        if (io.eof) (void)process.child->close(io.stream);
        break;
    }
    return {};
}

Result<void> RexecServer::kill(const Message& message, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t signum = in.integer("signum");
    if (!in) return in.error();
    SLUICE_TRY(Process * process, find(payload));
    if (const auto done = process->child->kill(static_cast<int>(signum)); !done)
        return fail(done.error().errnum(), "kill of process {} with signal {}: {}",
                    process->started_pid, signum, done.error().text());
    respond(message, {});
    return {};
}

Result<void> RexecServer::list(const Message& message, const JsonObject&) {
    JsonArray procs;
    for (const Process& process : processes_)
        procs.push_back(JsonObject{{"pid", process.started_pid},
                                   {"cmd", process.request.command.cmdline[0]},
                                   {"label", process.request.command.label},
                                   {"state", process.status ? "Z" : "R"}});
    respond(message, {{"rank", options_.rank}, {"procs", std::move(procs)}});
    return {};
}

Result<void> RexecServer::wait(const Message& message, const JsonObject& payload) {
    SLUICE_TRY(Process * process, find(payload));
    if (process->foreground || !process->request.has(rexec_flag::waitable))
        return fail(EINVAL, "process is not waitable");
    if (process->waiter) return fail(EINVAL, "process is already being waited on");
    if (process->attached) return fail(EBUSY, "subprocess has a client attached");
    process->waiter = message;
    if (process->finished) answer_waiter(*process);
    return {};
}

Result<void> RexecServer::attach(const Message& message, const JsonObject& payload) {
    if (!message.has(message_flag::streaming))
        return fail(EPROTO, "attach request is missing STREAMING flag");
    const auto found = find(payload);
    if (!found) return fail(ENOENT, "{}", found.error().text());  // RFC 42, where kill says ESRCH
    Process* process = *found;
    if (process->foreground) return fail(EBUSY, "subprocess is not in background mode");
    if (process->attached) return fail(EBUSY, "subprocess already has a client attached");
    if (process->waiter) return fail(EBUSY, "subprocess is being waited on");
    respond(message, {{"type", "attached"},
                      {"pid", process->started_pid},
                      {"cmd", encode_command(process->request.command)}});
    process->attached = message;
    if (!process->finished) return {};
    stream(*process, {{"type", "finished"}, {"status", *process->status}});
    for (const char* name : {"stdout", "stderr"})
        stream(
            *process,
            {{"type", "output"},
             {"pid", process->started_pid},
             {"io",
              encode_io({.stream = name, .rank = fmt::format("{}", options_.rank), .eof = true})}});
    end_streams(*process);
    remove(process);
    return {};
}

void RexecServer::disconnect(const Message& message) {
    const auto from_sender = [&](const Message& other) { return sender(other) == sender(message); };
    for (Process& process : processes_) {
        if (process.waiter && from_sender(*process.waiter)) process.waiter.reset();
        if (process.attached && from_sender(*process.attached)) {
            process.attached.reset();
            process.child->pause_output(false);
        }
        if (process.foreground && from_sender(process.exec)) (void)process.child->kill(SIGKILL);
    }
}

void RexecServer::on_client_pace(const Message& notice, bool slow) {
    for (Process& process : processes_) {
        const bool foreground = process.foreground && sender(process.exec) == sender(notice);
        const bool attached = process.attached && sender(*process.attached) == sender(notice);
        if (foreground || attached) process.child->pause_output(slow);
    }
}

void RexecServer::kill_all(int signum) {
    for (Process& process : processes_) (void)process.child->kill(signum);
}

}  // namespace sluice
