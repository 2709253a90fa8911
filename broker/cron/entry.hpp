// One entry of cron: what is run, when, and how it went. Pure: the service gives it events and
// times, and runs what it is told to.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/cron/calendar.hpp"

namespace sluice {

struct CronInterval {
    double interval = 0, after = 0;  // seconds between two runs, and before the first
};

struct CronEvent {
    std::string topic;
    std::int64_t nth = 0, after = 0;  // each nth event, once `after` of them have passed
    double min_interval = 0;          // seconds between two runs
    std::int64_t counter = 0;
};

using CronSchedule = std::variant<CronInterval, CronEvent, CronCalendar>;

/// One run of the command.
struct CronTask {
    double created = 0, started = 0, running = 0, ended = 0;  // 0: not yet
    std::int64_t pid = 0;
    int status = 0;                // wait status
    int rexec_errnum = 0;
    bool timed_out = false;
    bool done() const { return ended > 0; }
    JsonObject to_json(std::int64_t rank) const;
};

struct CronEntry {
    /// From cron.create, at time `now`; started.
    /// Errors: EPROTO a key is missing or of the wrong type, ENOSYS unknown type, EINVAL.
    static Result<CronEntry> from_json(const JsonObject& request, std::int64_t id, double now);
    JsonObject to_json() const;

    /// When it is due by the clock; nothing when stopped, or when an event makes it due.
    std::optional<double> wakeup() const { return stopped ? std::nullopt : next_wakeup; }
    /// Its event was seen. Due now, or at wakeup() when the last run was too short a time ago.
    bool on_event(double now);
    /// The clock reached wakeup().
    void on_time(double now);

    void start(double now);
    void stop() { stopped = true; }
    /// A run begins; after the last of `repeat` the entry stops.
    void begin_task(double now);
    void end_task();
    /// The failure limit has been reached: the entry stopped itself in end_task().
    bool gave_up() const { return stop_on_failure > 0 && failcount >= stop_on_failure; }

    std::int64_t id = 0, rank = 0, repeat = 0, history = 1, stop_on_failure = 0;
    std::string name, command, cwd;
    std::optional<JsonObject> environment;
    std::optional<double> timeout;
    std::string type;
    CronSchedule schedule;
    bool stopped = false;
    double ctime = 0, starttime = 0, lastrun = 0;
    std::int64_t count = 0, failcount = 0, total = 0, success = 0, failure = 0, deferred = 0;
    std::optional<double> next_wakeup;
    std::optional<CronTask> task;   // scheduled or running
    std::deque<CronTask> finished;  // latest first

  private:
    JsonObject typedata() const;
};

}  // namespace sluice
