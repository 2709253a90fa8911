#include "broker/log/ring_buffer.hpp"

#include <utility>

namespace sluice {

void RingBuffer::push(std::string line) {
    lines_.push_back(std::move(line));
    if (lines_.size() > lines_max_) lines_.pop_front();
}

void RingBuffer::resize(std::size_t lines_max) {
    lines_max_ = lines_max;
    while (lines_.size() > lines_max_) lines_.pop_front();
}

}  // namespace sluice
