// The client of a job's interactive terminal (shell option pty.interactive): our terminal in raw
// mode, its keys to the job, the job's output to it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/rpc/handle.hpp"

namespace sluice {

class AttachPty {
  public:
    /// Attaches to `topic` at `leader`; `on_end` is called when the terminal's session is over.
    AttachPty(Handle& flux, std::string topic, std::uint32_t leader, std::function<void()> on_end);
    /// Gives our terminal its old mode back.
    ~AttachPty();
    AttachPty(const AttachPty&) = delete;
    AttachPty& operator=(const AttachPty&) = delete;

    void start();

  private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice
