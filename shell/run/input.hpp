// Standard input of the tasks: from requests "stdin" to the leader's service, which go down the
// tree of shells as "input" requests and into the input eventlog; or from a file, which each task
// opens.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/aio/spawn.hpp"
#include "base/rpc/handle.hpp"
#include "shell/launch_info.hpp"
#include "shell/options.hpp"
#include "shell/run/eventlog_writer.hpp"
#include "shell/run/task.hpp"

namespace sluice::shell {

class Input {
  public:
    struct Parts {
        const LaunchInfo& info;
        const ShellOptions& options;
        Handle& handle;
        EventlogWriter& log;
        std::vector<std::unique_ptr<Task>>& tasks;
        std::function<void(LogText)> on_fatal;
    };
    explicit Input(Parts parts) : parts_(parts) {}

    /// Leader: the header of the input eventlog. Errors: errno of open, naming the file.
    Result<void> begin();
    /// The file that tasks read, or -1. A new description each: every task reads all of it.
    Result<OwnedFd> open_file() const;
    /// A "stdin" request of a client.
    void on_stdin(const Message& request);
    /// An "input" request of the shell above.
    void on_forwarded(const Message& request);
    /// A task has taken input, or the logs have: the next may come.
    void on_room();
    /// The shell ends: who still waits is told that his input was taken. What was appended to the
    /// log is on its way, ahead of the shell's last word.
    void finish();

  private:
    static constexpr std::uint32_t fanout = 4;
    struct Unanswered {
        Message request;  // "stdin"
        int missing;      // things that must happen before the answer
    };

    Result<void> keep(const JsonObject& payload, std::size_t bytes);
    bool has_room() const;
    void when_room(std::function<void()> then);
    Result<void> deliver(const IoData& io);
    /// Sends `payload` to the shells below; `done` when all have taken it.
    void forward(const JsonObject& payload, std::function<void()> done);
    void answer(const Message& request, int errnum);

    Parts parts_;
    std::vector<std::shared_ptr<Unanswered>> unanswered_;
    std::vector<std::function<void()>> waiting_for_room_;
    std::uint64_t kept_bytes_ = 0;
};

}  // namespace sluice::shell
