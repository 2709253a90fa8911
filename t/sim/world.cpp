// Takes the place of the system's clocks, timers and chance: the definitions below come before
// those of the shared libraries when the program is linked.
#include "t/sim/world.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include <cerrno>
#include <chrono>
#include <random>

namespace sluice::sim {
namespace {

World* the_world = nullptr;
Rng device{1};  // std::random_device
constexpr Time epoch = 1'700'000'000 * second;  // of the wall clock

}  // namespace

ReactorWait* reactor_wait = nullptr;
std::function<void(int, int)> on_kill;

World& world() { return *the_world; }

double seconds(Time time) { return static_cast<double>(time) / second; }

std::uint64_t Rng::next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::int64_t Rng::range(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

bool Rng::chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1p-53 < probability;
}

World::World(std::uint64_t seed) : rng(seed) {
    the_world = this;
    device = Rng{seed};
}
World::~World() { the_world = nullptr; }

void World::at(Time when, std::function<void()> run) {
    events_.push({std::max(when, now_), events_made_++, std::move(run)});
}

bool World::step() {
    if (events_.empty()) return false;
    auto run = std::move(const_cast<Event&>(events_.top()).run);
    now_ = events_.top().when;
    events_.pop();
    run();
    return true;
}

void World::wrong(std::string what) {
    if (found_.empty()) found_ = fmt::format("at {:.6f} s: {}", seconds(now_), what);
    note("WRONG: " + what);
}

void World::note(const std::string& line) {
    for (const char c : line) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
    digest_ = (digest_ ^ static_cast<std::uint64_t>(now_)) * 1099511628211u;
    if (talks) fmt::print("{:12.6f} {}\n", seconds(now_), line);
}

}  // namespace sluice::sim

namespace sim = sluice::sim;

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
    const sim::Time now = sim::the_world ? sim::the_world->now() : 0;
    return time_point{nanoseconds{now + sim::second}};
}

std::chrono::system_clock::time_point std::chrono::system_clock::now() noexcept {
    const sim::Time now = sim::the_world ? sim::the_world->now() + sim::the_world->wall_shift : 0;
    return time_point{nanoseconds{sim::epoch + now}};
}

unsigned std::random_device::_M_getval() {
    return static_cast<unsigned>(sim::device.next());
}

/// Without it the reactor looks at its timers whenever it is polled, by the clock above.
extern "C" int timerfd_create(int, int) noexcept {
    errno = ENOSYS;
    return -1;
}

extern "C" int epoll_ctl(int, int, int, epoll_event*) noexcept { return 0; }

extern "C" int epoll_wait(int, epoll_event*, int, int timeout) {
    if (timeout != 0 && sim::reactor_wait) {
        sim::reactor_wait->milliseconds = timeout;
        sim::reactor_wait->stop();
    }
    return 0;
}

extern "C" int kill(pid_t pid, int signum) noexcept {
    if (sim::on_kill) sim::on_kill(pid, signum);
    return 0;
}
