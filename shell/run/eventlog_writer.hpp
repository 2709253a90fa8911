// Appends events to the logs of the job (job-exec.append on rank 0). Events wait a moment so that
// many travel in one message: 5 ms when the logs were quiet, else the batch time after the last
// one.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "base/rfc/eventlog.hpp"
#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"

namespace sluice::shell {

class EventlogWriter {
  public:
    EventlogWriter(Handle& handle, JobId id, double batch_seconds);

    /// `path`: "guest.output", "guest.exec.eventlog" or "guest.input".
    void add(const std::string& path, const Event& event);
    /// Calls `done` when what was added so far is in the log (or could not be written).
    void add(const std::string& path, const Event& event,
             std::function<void(const Result<void>&)> done);
    /// Sends all that waits, now.
    void flush();
    /// More is unacknowledged than should be: stop reading the tasks' output.
    bool congested() const { return unanswered_bytes_ + waiting_bytes_ > congestion_bytes; }
    /// Called when it is no longer congested.
    void on_relief(std::function<void()> relief) { relief_ = std::move(relief); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t congestion_bytes = std::size_t{4} << 20;
    static constexpr std::size_t message_bytes = std::size_t{256} << 10;  // flush when reached
    static constexpr std::chrono::milliseconds pause{5};

    void schedule();

    Handle& handle_;
    JobId id_;
    Clock::duration batch_;
    boost::asio::steady_timer timer_;
    Clock::time_point last_flush_{};
    std::map<std::string, std::string> waiting_;  // path -> lines
    std::vector<std::function<void(const Result<void>&)>> waiting_done_;
    std::size_t waiting_bytes_ = 0, unanswered_bytes_ = 0;
    bool scheduled_ = false;
    std::function<void()> relief_;
};

}  // namespace sluice::shell
