// A machine of the simulated cluster: its broker while that runs, and everything that happens to it
// in order. A broker that has ended or crashed is started again after a while, as a service is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "t/sim/world.hpp"

namespace sluice::sim {

class Node;
class Shell;

class Host {
  public:
    Host(std::uint32_t rank, std::string folder);
    ~Host();

    std::uint32_t rank() const { return rank_; }
    const std::string& folder() const { return folder_; }
    Node* node() { return node_.get(); }
    /// Changes with each start of the broker.
    std::uint64_t life() const { return life_; }

    /// Has this life of the broker do `work` at `when`, and then all that follows from it. A
    /// frozen host does it when it goes on; a broker that is gone does not.
    void post(Time when, std::function<void()> work);
    void start(std::function<std::unique_ptr<Node>(Host&)> make);
    /// kill -9 now; the next life begins after `down`.
    void crash(Time down);
    /// SIGSTOP of the broker.
    void freeze(Time until) { frozen_until_ = std::max(frozen_until_, until); }
    bool crashing() const { return crashing_; }

    std::vector<std::shared_ptr<Shell>> shells;  // that live
    /// The broker is about to be destroyed: its connections end.
    std::function<void()> on_gone;
    /// The zygote of this life, so that it can be killed.
    std::function<void()> kill_zygote;

  private:
    void run(const std::function<void()>& work);
    void turn();
    void wake();
    void end(Time down);

    std::uint32_t rank_;
    std::string folder_;
    std::unique_ptr<Node> node_;
    std::function<std::unique_ptr<Node>(Host&)> make_;
    std::uint64_t life_ = 0;
    Time frozen_until_ = 0, wake_at_ = -1;
    bool crashing_ = false;
};

/// The host whose broker runs now.
Host& current_host();

}  // namespace sluice::sim
