// The broker assembled: builds the parts, runs the reactor until the last state, takes the parts
// down in reverse order. parts.cpp lists the services.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "broker/options.hpp"

namespace sluice {

class Broker {
  public:
    /// Everything that can be refused at once: options, configuration, certificate, folders.
    static Result<std::unique_ptr<Broker>> open(const BrokerOptions& options);
    ~Broker();
    /// Until the end of the last state; the exit code.
    int run();

    class State;  // of broker.cpp
    explicit Broker(std::unique_ptr<State> state);

  private:
    std::unique_ptr<State> state_;
};

}  // namespace sluice
