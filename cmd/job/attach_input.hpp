// Standard input of attach, sent to the job's shell piece by piece: the next piece is read when the
// shell has taken the last one.
#pragma once

#include <memory>
#include <string>

#include "base/rpc/handle.hpp"

namespace sluice {

class AttachInput {
  public:
    /// Sends to `topic` at `leader`, for tasks `ranks` ("all" or an idset).
    AttachInput(Handle& flux, std::string topic, std::uint32_t leader, std::string ranks);
    ~AttachInput();
    AttachInput(const AttachInput&) = delete;
    AttachInput& operator=(const AttachInput&) = delete;

    void start();
    void stop();

  private:
    class State;
    std::shared_ptr<State> state_;
};

}  // namespace sluice
