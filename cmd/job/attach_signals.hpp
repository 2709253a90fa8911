// Signals of attach: ctrl-C twice cancels, ctrl-Z after ctrl-C detaches, others go to the job.
#pragma once

#include <functional>
#include <memory>

#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"

namespace sluice {

class AttachSignals {
  public:
    /// `on_detach` is called when the user detaches.
    AttachSignals(Handle& flux, JobId id, std::function<void()> on_detach);
    ~AttachSignals();
    AttachSignals(const AttachSignals&) = delete;
    AttachSignals& operator=(const AttachSignals&) = delete;

  private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice
