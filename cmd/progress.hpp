// The progress line of flux submit, bulksubmit and watch on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace sluice {

class Progress {
  public:
    /// `rate`: show jobs per second instead of the time passed.
    Progress(std::size_t total, bool rate) : total_(total), rate_(rate) {}

    void submitted(bool accepted);
    void started();
    void ended(bool success);
    /// Draws the last state and ends the line.
    void end();

    /// The line for a terminal of `width` columns after `seconds`.
    std::string line(std::size_t width, double seconds) const;

  private:
    void draw(bool last);

    using Clock = std::chrono::steady_clock;
    std::size_t total_, pending_ = 0, running_ = 0, completed_ = 0, failed_ = 0;
    bool rate_;
    Clock::time_point begun_ = Clock::now(), drawn_{};
};

}  // namespace sluice
