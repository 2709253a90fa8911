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
    void add_lines(const std::string& path, std::string_view lines);
    /// Lines that are not to be kept, only passed on to those who follow the log; `done` hears
    /// whether there was anybody.
    void pass_on(const std::string& path, std::string_view lines, std::function<void(bool)> done);
    /// Sends all that waits, now.
    void flush();
    /// With `more` bytes of lines, output comes in bulk.
    bool busy_with(std::size_t more) const {
        return unanswered_bytes_ + waiting_bytes_ + passing_.size() + more > busy_bytes;
    }
    /// More is unacknowledged than should be: stop reading the tasks' output.
    bool congested() const {
        return unanswered_bytes_ + waiting_bytes_ + passing_.size() > congestion_bytes;
    }
    /// Called when it is no longer congested.
    void on_relief(std::function<void()> relief) { relief_ = std::move(relief); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t congestion_bytes = std::size_t{2} << 20;
    static constexpr std::size_t busy_bytes = std::size_t{512} << 10;
    static constexpr std::size_t message_bytes = std::size_t{256} << 10;  // flush when reached
    static constexpr std::chrono::milliseconds pause{5};

    void schedule();
    void send(JsonObject payload, std::size_t bytes, std::function<void(const Reply&)> answered);
    void flush_passing();

    Handle& handle_;
    JobId id_;
    Clock::duration batch_;
    boost::asio::steady_timer timer_;
    Clock::time_point last_flush_{};
    std::map<std::string, std::string> waiting_;  // path -> lines
    std::string passing_path_, passing_;  // lines not to be kept
    std::vector<std::function<void(bool)>> passing_done_;
    std::size_t waiting_bytes_ = 0, unanswered_bytes_ = 0;
    bool scheduled_ = false;
    std::function<void()> relief_;
};

}  // namespace sluice::shell
