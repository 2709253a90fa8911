// Shell option sysmon: memory and load of the shell's cgroup (v2), now and then and at the end.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sluice::shell {

class Sysmon {
  public:
    struct Report {
        std::function<void(std::string)> warn, trace, notice;
    };
    /// `period` in seconds; nullopt: only the sum at the end.
    Sysmon(boost::asio::io_context& io, std::optional<double> period, Report report);
    /// The job's tasks are about to start.
    void begin();
    /// They have ended.
    void end();

  private:
    struct Sample {
        double seconds = 0;
        std::uint64_t cpu_us = 0;
    };
    std::optional<Sample> sample() const;
    void arm();
    void tell();

    boost::asio::steady_timer timer_;
    std::optional<double> period_;
    Report report_;
    std::string folder_;  // of the cgroup, empty: none
    std::optional<Sample> first_, previous_;
};

}  // namespace sluice::shell
