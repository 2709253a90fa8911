#include "broker/exec/script_run.hpp"

#include <unistd.h>

#include "base/rfc/io_data.hpp"

extern char** environ;

namespace sluice {
namespace {

std::map<std::string, std::string> own_environment() {
    std::map<std::string, std::string> variables;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return variables;
}

}  // namespace

void ScriptRun::start(const Idset& ranks, const std::vector<std::string>& command,
                      const std::map<std::string, std::string>& variables) {
    RexecCommand script;
    script.cmdline = command;
    script.env = own_environment();
    for (const auto& [name, value] : variables) script.env[name] = value;
    const JsonObject payload{{"cmd", encode_command(script)},
                             {"flags", rexec_flag::stdout_ | rexec_flag::stderr_}};
    for (const std::uint32_t rank : ranks) processes_[rank] = {};
    const auto self = shared_from_this();
    for (const std::uint32_t rank : ranks) {
        const Matchtag tag =
            rpc_.call("rexec.exec", payload, {.nodeid = rank, .streaming = true},
                      [self, rank](const Reply& reply) { self->on_reply(rank, reply); });
        const IoData no_input{.stream = "stdin", .rank = "0", .data = {}, .eof = true};
        rpc_.notify("rexec.write", {{"matchtag", tag}, {"io", encode_io(no_input)}}, rank);
    }
}

void ScriptRun::on_reply(std::uint32_t rank, const Reply& reply) {
    if (!reply.ok())
        return end(rank, [&] {
            const Error lost{ECONNABORTED, "its end was not told"};
            if (hooks_.failed) hooks_.failed(rank, reply.end_of_stream() ? lost : reply.error());
        });
    const auto payload = reply.json();
    if (!payload) return;
    JsonReader in{*payload};
    const std::string type = in.string_or("type", "");
    Process& process = processes_.at(rank);
    if (type == "started") {
        process.pid = in.integer_or("pid", 0);
        if (process.signum) send_signal(rank, process.pid, *process.signum);
    } else if (type == "output") {
        const JsonObject* object = in.maybe_object("io");
        auto io = object ? decode_io(*object) : Result<IoData>{Error{EPROTO}};
        if (!io || io->data.empty() || !hooks_.output) return;
        while (io->data.ends_with('\n')) io->data.pop_back();
        hooks_.output(rank, io->stream, std::move(io->data));
    } else if (type == "finished") {
        const int status = static_cast<int>(in.integer_or("status", 0));
        end(rank, [&] {
            if (hooks_.exited) hooks_.exited(rank, status);
        });
    }
}

void ScriptRun::end(std::uint32_t rank, const std::function<void()>& tell) {
    if (std::exchange(processes_.at(rank).ended, true)) return;
    const auto self = shared_from_this();
    tell();
}

void ScriptRun::kill(const Idset& ranks, int signum) {
    for (const std::uint32_t rank : ranks) {
        const auto found = processes_.find(rank);
        if (found == processes_.end() || found->second.ended) continue;
        Process& process = found->second;
        if (process.pid == 0) process.signum = signum;
        else send_signal(rank, process.pid, signum);
    }
}

void ScriptRun::send_signal(std::uint32_t rank, std::int64_t pid, int signum) {
    rpc_.notify("rexec.kill", {{"pid", pid}, {"signum", signum}}, rank);
}

void ScriptRun::abandon() {
    hooks_.exited = nullptr;
    hooks_.failed = nullptr;
}

}  // namespace sluice
