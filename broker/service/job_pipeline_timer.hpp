// The pipeline's one timer: wakes at the earliest of its deadlines (wall clock).
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>

#include "base/rfc/eventlog.hpp"
#include "broker/service/job_pipeline.hpp"

namespace sluice {

struct JobPipeline::Timer {
    explicit Timer(boost::asio::io_context& io) : timer(io) {}

    /// Calls `work` at `next` (seconds since the epoch); replaces what was armed before.
    void arm(std::optional<double> next, std::function<void()> work) {
        if (next == armed) return;
        armed = next;
        timer.cancel();
        if (!next) return;
        // In steps of an hour at most: the wall clock may be set, and far times do not overflow.
        const double wait = std::min(std::max(0.0, *next - wall_clock_now()), 3600.0);
        timer.expires_after(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(wait)));
        timer.async_wait([this, work = std::move(work)](boost::system::error_code error) {
            if (error) return;
            armed.reset();
            work();
        });
    }

    boost::asio::steady_timer timer;
    std::optional<double> armed;
};

}  // namespace sluice
