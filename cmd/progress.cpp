#include "cmd/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace sluice {
namespace {

constexpr std::chrono::milliseconds draw_every{100};
constexpr std::size_t width_default = 80;

std::size_t terminal_width() {
    struct winsize size {};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0) return width_default;
    return size.ws_col;
}

}  // namespace

void Progress::submitted(bool accepted) {
    ++(accepted ? pending_ : failed_);
    draw(false);
}

void Progress::started() {
    if (pending_ > 0) --pending_;
    ++running_;
    draw(false);
}

void Progress::ended(bool success) {
    if (running_ > 0)
        --running_;
    else if (pending_ > 0)
        --pending_;
    ++(success ? completed_ : failed_);
    draw(false);
}

void Progress::end() {
    draw(true);
    std::fputc('\n', stdout);
}

std::string Progress::line(std::size_t width, double seconds) const {
    const std::size_t done = completed_ + failed_;
    const std::string head =
        fmt::format("PD:{:<4} R:{:<4} CD:{:<4} F:{:<4} ", pending_, running_, completed_, failed_);
    const double share = total_ ? static_cast<double>(done) / static_cast<double>(total_) : 1;
    std::string tail = fmt::format(" {:5.1f}% ", share * 100);
    if (rate_)
        tail += fmt::format("{:.1f} job/s", seconds > 0 ? static_cast<double>(done) / seconds : 0);
    else
        tail += fmt::format("{}:{:02}:{:02}", static_cast<long>(seconds) / 3600,
                            static_cast<long>(seconds) / 60 % 60, static_cast<long>(seconds) % 60);
    const std::size_t used = head.size() + tail.size() + 3;
    const std::size_t room = width > used ? width - used : 0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
    return head + "|" + std::string(filled, '#') + std::string(room - filled, ' ') + "|" + tail;
}

void Progress::draw(bool last) {
    const Clock::time_point now = Clock::now();
    if (!last && now - drawn_ < draw_every) return;
    drawn_ = now;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    fmt::print("\r{}\033[K", line(terminal_width(), seconds));
    std::fflush(stdout);
}

}  // namespace sluice
