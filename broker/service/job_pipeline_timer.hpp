// The pipeline's timer, which wakes at the earliest of its deadlines (wall clock), and the patience
// of commits that nobody waits for.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>

#include "base/rfc/eventlog.hpp"
#include "broker/service/job_pipeline.hpp"

namespace sluice {

/// Seconds; goes on evenly when the wall clock is set. For all that is to be so long after
/// something else: rounds of signals, time-outs of scripts, the length of a mock job.
inline double steady_clock_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct JobPipeline::Timer {
    using Clock = double (*)();
    Timer(boost::asio::io_context& io, Clock clock) : timer(io), patience(io), clock(clock) {}

    /// Calls `work` at `next`, by the timer's clock; replaces what was armed before.
    void arm(std::optional<double> next, std::function<void()> work) {
        if (next == armed) return;
        armed = next;
        timer.cancel();
        if (!next) return;
        // In steps of an hour at most: the wall clock may be set, and far times do not overflow.
        // Not before its time by a rounding, to be looked at in vain.
        const double wait = std::min(std::max(0.0, *next - clock()), 3600.0) + 1e-6;
        timer.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(wait)));
        timer.async_wait([this, work = std::move(work)](boost::system::error_code error) {
            if (error) return;
            armed.reset();
            work();
        });
    }

    /// Calls `work` once, a moment after the first of these calls.
    void soon(std::function<void()> work) {
        if (std::exchange(waiting, true)) return;
        patience.expires_after(std::chrono::milliseconds{5});
        patience.async_wait([this, work = std::move(work)](boost::system::error_code error) {
            waiting = false;
            if (!error) work();
        });
    }

    boost::asio::steady_timer timer, patience;
    Clock clock;
    std::optional<double> armed;
    bool waiting = false;
};

}  // namespace sluice
