// The thread behind Sched: it owns the SchedCore, is given events from the reactor and sends
// decisions back. What both share is behind `Loop`.
#pragma once

#include <functional>
#include <memory>

#include "sched/service/sched.hpp"

namespace sluice {

class SchedCore;

class Sched::Thread {
  public:
    using Event = std::function<void(SchedCore&)>;

    Thread(Post post, OnDecisions on_decisions, SchedConfig config);
    /// Ends the thread and waits for it.
    ~Thread();
    /// Done by the thread, in the order of the calls; then comes a pass.
    void give(Event event);
    /// Runs `deliver` on the reactor, unless the Sched has been destroyed by then. Any thread.
    void deliver(std::function<void()> deliver);

  private:
    class Loop;
    std::unique_ptr<Loop> loop_;
};

}  // namespace sluice
