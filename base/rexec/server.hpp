// RFC 42 - Remote execution, server side: the methods exec, write, kill, list, wait, attach and
// disconnect of service "rexec" on a broker, or of a shell. Foreground processes belong to the
// client that started them and die with it; background ones to the server, by pid or label.
// Whoever calls serve() has checked that the sender is the owner.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/aio/subprocess.hpp"
#include "base/log_line.hpp"
#include "base/rexec/command.hpp"
#include "base/rfc/io_data.hpp"
#include "base/rfc/message.hpp"

namespace sluice {

class RexecServer {
  public:
    struct Options {
        boost::asio::io_context& io;
        std::uint32_t rank = 0;
        std::function<std::string()> uri;  // FLUX_URI of what is started
        std::function<void(Message)> respond;
        /// What background processes print, and how they end.
        std::function<void(LogLevel severity, const std::string& text)> log;
        std::function<void()> on_idle = [] {};  // the last process that ran has ended
    };
    explicit RexecServer(Options options) : options_(std::move(options)) {}
    /// Kills what still runs.
    ~RexecServer();
    RexecServer(const RexecServer&) = delete;

    /// Serves `method` ("exec"); false when there is none of that name.
    bool serve(std::string_view method, const Message& request);
    /// A client does not read what it was streamed, or does again: its processes wait meanwhile.
    void on_client_pace(const Message& notice, bool slow);
    void kill_all(int signum);
    std::size_t size() const { return processes_.size(); }
    bool has(std::int64_t pid) const;
    /// No process runs; some may still be waited for.
    bool idle() const;

  private:
    struct Process {
        Message exec;  // its request
        RexecRequest request;
        bool foreground = false, finished = false;
        std::unique_ptr<Subprocess> child;
        std::int64_t started_pid = 0;
        std::optional<int> status;
        std::vector<IoData> output;     // of a waitable one, until the wait
        std::optional<Message> waiter;    // rexec.wait
        std::optional<Message> attached;  // rexec.attach, a stream
        std::string_view program() const;  // without its folder
    };
    using Processes = std::list<Process>;

    Result<void> check_exec(const RexecRequest& request, bool foreground) const;
    Result<void> exec(const Message& message, const JsonObject& payload);
    Result<void> write(const Message& message, const JsonObject& payload);
    Result<void> kill(const Message& message, const JsonObject& payload);
    Result<void> list(const Message& message, const JsonObject& payload);
    Result<void> wait(const Message& message, const JsonObject& payload);
    Result<void> attach(const Message& message, const JsonObject& payload);
    void disconnect(const Message& message);

    Result<Process*> find(const JsonObject& payload);
    Subprocess::Callbacks callbacks(Process* process);
    void on_output(Process& process, std::string_view stream, std::string_view data);
    void on_complete(Process& process, int status);
    void log_end(const Process& process, int status);
    void answer_waiter(Process& process);
    void grant_initial_credit(const Process& process);
    void remove(const Process* process);

    void respond(const Message& request, const JsonObject& payload);
    void fail_request(const Message& request, const Error& error);
    /// To the client of a foreground process, or to those attached to a background one.
    void stream(const Process& process, const JsonObject& payload);
    void end_streams(const Process& process);

    Options options_;
    Processes processes_;
};

}  // namespace sluice
