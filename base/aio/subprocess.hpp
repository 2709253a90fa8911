// The one place that starts processes: spawn, standard streams through pipes, extra channels,
// lines, signals to the process group, exit by pidfd. The owner of a Subprocess is its only reader.
// Callbacks run from the loop, never inside start(), write() or close().
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace boost::asio {
class io_context;
}

namespace sluice {

enum class StdioKind { inherit, null, pipe };

struct SubprocessOptions {
    std::vector<std::string> argv;  // argv[0] is searched in the PATH of `environment`
    /// "NAME=value" entries; nullopt: our own environment.
    std::optional<std::vector<std::string>> environment;
    std::string cwd;        // empty: our own
    bool new_group = true;  // false: stays in our process group (an interactive initial program)
    StdioKind stdin_kind = StdioKind::null, stdout_kind = StdioKind::inherit,
              stderr_kind = StdioKind::inherit;
    /// Two-way sockets; the child finds the descriptor's number in the variable of that name. Apart
    /// from these and the standard streams it gets none of our descriptors.
    std::vector<std::string> channels;
    /// Streams whose output is handed over as it comes rather than line by line.
    std::vector<std::string> unbuffered;
    std::size_t line_bytes_max = std::size_t{4} << 20;  // a longer line is handed over in pieces
};

class Subprocess {
  public:
    struct Callbacks {
        /// A line of "stdout", "stderr" or a channel, its newline included (or a piece, see
        /// `unbuffered`). Empty data: the stream has ended.
        std::function<void(std::string_view stream, std::string_view data)> on_output;
        /// `bytes` of what was given to write() have left for the child.
        std::function<void(std::string_view stream, std::size_t bytes)> on_written;
        /// The child has ended, with a wait(2) status. Output may still come.
        std::function<void(int status)> on_exit;
        /// The child has ended and all its streams too: the last callback.
        std::function<void(int status)> on_complete;
    };
    /// Errors: as posix_spawn: ENOENT, EACCES, … with the program's name.
    static Result<std::unique_ptr<Subprocess>> start(boost::asio::io_context& io,
                                                     SubprocessOptions options,
                                                     Callbacks callbacks);
    /// Closes our ends; a child still running goes on, unless killed before.
    ~Subprocess();
    Subprocess(const Subprocess&) = delete;

    pid_t pid() const;
    /// The wait status once it has ended.
    std::optional<int> status() const;
    /// Queues data for "stdin" or a channel. Errors: EINVAL no such stream, EPIPE closed.
    Result<void> write(std::string_view stream, std::string_view data);
    /// Ends the stream after what is queued.
    Result<void> close(std::string_view stream);
    /// Signals the process group (or the process, without new_group). Errors: ESRCH.
    Result<void> kill(int signum);
    /// Stops or resumes reading of "stdout" and "stderr" (back-pressure of a slow reader).
    void pause_output(bool paused);

    class State;  // of subprocess.cpp

  private:
    explicit Subprocess(std::shared_ptr<State> state);
    std::shared_ptr<State> state_;
};

/// "Exited (rc=7)", "Terminated (rc=143)": a wait status in words.
std::string describe_wait_status(int status);
/// Exit code as a shell gives it: the code, or 128 + signal.
int exit_code_of(int wait_status);

}  // namespace sluice
