// One `flux exec`: the same command on many ranks through rexec (RFC 42), their output, standard
// input under credit, signals, and the exit code of all.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rexec/command.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/io_data.hpp"
#include "base/rpc/handle.hpp"

namespace sluice {

/// A background process: by its pid, else by its label.
struct AttachTarget {
    std::int64_t pid = -1;
    std::string label;
    std::string text() const { return pid > 0 ? std::to_string(pid) : label; }
};

struct ExecOptions {
    std::string name = "flux-exec";
    std::string service = "rexec";  // or "<uid>-shell-<id>.rexec"
    Idset ranks;
    RexecCommand command;
    bool label_io = false, no_input = false, quiet = false, background = false, waitable = false;
    bool verbose = false, flow_control = true;
    std::optional<AttachTarget> attach;  // instead of a command
};

class ExecRun {
  public:
    ExecRun(Handle& flux, ExecOptions options);
    /// Runs to the end and reports; the exit code of `flux exec`.
    int run();

  private:
    struct Target {
        std::uint32_t rank = 0;
        Matchtag tag = 0;
        std::int64_t pid = -1, credit = 0;
        std::optional<int> status;       // wait status
        std::optional<int> start_error;  // errno of a failed start
        bool done = false;
    };

    void start(Target& target);
    void on_reply(Target& target, const Reply& reply);
    void on_stream(Target& target, const JsonObject& payload);
    void on_output(Target& target, const JsonObject& payload);
    void on_error(Target& target, const Error& error);
    void read_input();
    void send_input(std::string_view data);
    void send_io(const Target& target, std::string_view data, bool eof);
    std::int64_t input_room() const;
    void wait_signal();
    void on_interrupt(int signum);
    bool all_done() const;
    void report() const;
    int exit_code() const;
    Idset running() const;

    Handle& flux_;
    ExecOptions options_;
    std::vector<Target> targets_;
    boost::asio::signal_set signals_;
    std::optional<boost::asio::posix::stream_descriptor> input_;
    std::string buffer_;
    bool reading_ = false, input_ended_ = false, given_up_ = false, detached_ = false;
    int interrupts_ = 0;
    std::chrono::steady_clock::time_point last_interrupt_;
};

}  // namespace sluice
