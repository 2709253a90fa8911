// The newest log lines of a broker, oldest first; full means the oldest goes. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

namespace sluice {

class RingBuffer {
  public:
    explicit RingBuffer(std::size_t lines_max) : lines_max_(lines_max) {}

    void push(std::string line);
    void clear() { lines_.clear(); }
    void resize(std::size_t lines_max);
    const std::deque<std::string>& lines() const { return lines_; }
    std::size_t lines_max() const { return lines_max_; }

  private:
    std::size_t lines_max_;
    std::deque<std::string> lines_;
};

}  // namespace sluice
