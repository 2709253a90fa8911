// As the first process of a container the broker inherits every process whose parent has died, and
// must take their exit codes or they stay as zombies.
#pragma once

#include <sys/types.h>

#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>

namespace sluice {

class Orphans {
  public:
    explicit Orphans(boost::asio::io_context& io) : child_ended_(io), timer_(io) {}
    /// From now on orphans are reaped; does nothing in a process other than the first.
    void adopt();

  private:
    void wait();
    void look();

    boost::asio::signal_set child_ended_;
    boost::asio::steady_timer timer_;
    std::set<pid_t> ended_;  // zombies at the last look
};

}  // namespace sluice
