// Commands of one stage (rc1, rc2, cleanup, rc3), run one after the other; their results, and their
// output where they have no terminal, go to the log.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/aio/subprocess.hpp"
#include "broker/log/logger.hpp"

namespace sluice {

struct StageCommand {
    std::vector<std::string> argv;
    std::string shown;        // its words as the log shows them
    bool terminal = false;    // has our standard streams, else its output goes to the log
};

/// `text` run by the shell.
StageCommand shell_command(const std::string& text);

class CommandList {
  public:
    CommandList(boost::asio::io_context& io, Logger& log) : io_(io), log_(log) {}

    /// Runs `commands` to the end; `done` gets the exit code of the first that failed, or 0.
    void run(std::string stage, std::vector<StageCommand> commands,
             std::vector<std::string> environment, bool new_group, std::function<void(int)> done);
    bool running() const { return current_ != nullptr; }
    /// Signals the running command. One that then exits 0 counts as failed with 1.
    void abort(int signum);

  private:
    void next();
    void finish(int status);
    void record(const StageCommand& command, int code, const std::string& outcome);
    void give_terminal_to(pid_t group);

    boost::asio::io_context& io_;
    Logger& log_;
    std::string stage_;
    std::vector<StageCommand> commands_;
    std::vector<std::string> environment_;
    std::function<void(int)> done_;
    std::unique_ptr<Subprocess> current_;
    std::size_t index_ = 0;
    double started_ = 0;
    int code_ = 0;
    bool new_group_ = true, aborted_ = false;
};

}  // namespace sluice
