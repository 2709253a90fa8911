// One task: its process, its streams (pipes or a pseudo terminal), its input queue.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "shell/output_records.hpp"
#include "shell/run/output.hpp"
#include "shell/run/spawn.hpp"
#include "shell/shell_fsm.hpp"

namespace sluice::shell {

class Task {
  public:
    struct Callbacks {
        std::function<void(Stream, std::string_view)> on_output;
        std::function<void(Stream)> on_end;  // of a stream
        std::function<void(const TaskExit&)> on_exit;
        std::function<void()> on_input_taken;  // input_backlog() may be smaller
        std::function<void()> on_done;   // ended, and its streams too; the last one
        std::function<bool()> may_read;  // false: output must wait (resume_output())
    };
    struct Options {
        std::uint32_t rank = 0, localid = 0;
        bool terminal = false;
        bool out_by_lines = true, err_by_lines = false;
        int stdin_file = -1;  // used as its standard input; borrowed
    };
    Task(boost::asio::io_context& io, Options options, Callbacks callbacks);

    /// `spawn` without its three stream descriptors, which are made here.
    /// Errors: EMFILE …; as spawn_task.
    Result<void> start(TaskSpawn spawn);
    void kill(int signum);
    /// Errors: EPIPE when its standard input is closed.
    Result<void> write_input(std::string_view data);
    void end_input();
    void resume_output();
    /// What its streams still hold is taken as their end.
    void abandon_streams();

    std::uint32_t rank() const { return options_.rank; }
    int pid() const { return pid_; }
    /// Bytes of input that it has not read.
    std::size_t input_backlog() const { return input_.is_open() ? input_queue_.size() : 0; }
    bool input_open() const { return input_.is_open() && !input_ending_; }
    /// The terminal's master side, or -1.
    int terminal() {
        return options_.terminal && out_.file.is_open() ? out_.file.native_handle() : -1;
    }

  private:
    using Descriptor = boost::asio::posix::stream_descriptor;
    struct Source {
        Descriptor file;
        OutputCutter cutter;
        bool ended = false, waiting = false;
    };
    Result<void> make_pipes(TaskSpawn& spawn, OwnedFd (&childs)[3]);
    Result<void> make_terminal(TaskSpawn& spawn, OwnedFd (&childs)[3]);
    void read(Stream stream);
    void read_some(Stream stream);
    bool take(Stream stream);
    void drain();
    void end(Stream stream);
    void wait_exit();
    void write_some();
    void check_done();
    Source& source(Stream stream) { return stream == Stream::out ? out_ : err_; }

    Options options_;
    Callbacks callbacks_;
    Source out_, err_;
    Descriptor input_, pidfd_;
    std::string input_queue_;
    bool input_ending_ = false, input_waiting_ = false;
    bool exited_ = false, done_ = false, own_group_ = true;
    int pid_ = 0;
};

}  // namespace sluice::shell
