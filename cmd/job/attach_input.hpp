// Standard input of attach, sent to the job's shell piece by piece: the next piece is read when the
// shell has taken the last one.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/rpc/handle.hpp"

namespace sluice {

class AttachInput {
  public:
    struct Options {
        std::string topic;
        std::uint32_t leader = 0;
        std::string ranks;  // of the tasks that get it: "all" or an idset
        /// The job takes no input; not told when its tasks had closed it meanwhile, or had ended.
        std::function<void(const Error&)> on_refused;
    };
    AttachInput(Handle& flux, Options options);
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
