// Virtual time for a cluster in one process: an ordered queue of events, one source of chance, and
// what was found wrong. While a World exists the clocks of the C++ library are its clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

namespace sluice::sim {

using Time = std::int64_t;  // nanoseconds since the run began
inline constexpr Time microsecond = 1'000, millisecond = 1'000'000, second = 1'000'000'000;
double seconds(Time time);

/// SplitMix64: the same numbers on every machine.
class Rng {
  public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next();
    /// In [low, high].
    std::int64_t range(std::int64_t low, std::int64_t high);
    bool chance(double probability);

  private:
    std::uint64_t state_;
};

class World {
  public:
    explicit World(std::uint64_t seed);
    ~World();
    World(const World&) = delete;

    Time now() const { return now_; }
    void at(Time when, std::function<void()> run);
    void after(Time delay, std::function<void()> run) { at(now_ + delay, std::move(run)); }
    /// Runs the next event; false when there is none.
    bool step();

    /// An invariant does not hold: the run ends.
    void wrong(std::string what);
    const std::string& found() const { return found_; }
    /// A line of the trace, printed when the trace is wanted; its bytes always count for digest().
    void note(const std::string& line);
    std::uint64_t digest() const { return digest_; }

    Rng rng;
    Time wall_shift = 0;  // the wall clock was set by so much
    bool talks = false;

  private:
    struct Event {
        Time when;
        std::uint64_t number;
        std::function<void()> run;
        bool operator<(const Event& other) const {
            return when != other.when ? when > other.when : number > other.number;
        }
    };
    std::priority_queue<Event> events_;
    Time now_ = 0;
    std::uint64_t events_made_ = 0, digest_ = 14695981039346656037u;
    std::string found_;
};

/// The one that runs now.
World& world();

/// What the reactor would have waited for when it was last asked to wait: milliseconds until its
/// next timer. Asking calls `stop`, so that it returns.
struct ReactorWait {
    std::function<void()> stop;
    int milliseconds = 0;
};
extern ReactorWait* reactor_wait;

/// Signals sent by kill(2) go here.
extern std::function<void(int pid, int signum)> on_kill;

}  // namespace sluice::sim
