// RFC 18 eventlogs of a job as a stream of events from job-info.eventlog-watch.
#pragma once

#include <functional>
#include <string>

#include "base/rfc/eventlog.hpp"
#include "base/rpc/handle.hpp"
#include "base/strong_id.hpp"

namespace sluice {

struct EventStreamOptions {
    std::string path = "eventlog";  // or "guest.exec.eventlog", "guest.output", …
    bool wait_create = false;       // the path need not exist yet
    bool sentinel = false;          // tell when all present events have come
};

struct EventStreamCallbacks {
    std::function<void(const Event&)> on_event;
    /// Once at the end; no error when the log is complete or the watch was cancelled.
    std::function<void(Result<void>)> on_end;
    std::function<void()> on_sentinel;
};

/// Returns the tag for stop_watching().
Matchtag watch_events(Handle& flux, JobId id, const EventStreamOptions& options,
                      EventStreamCallbacks callbacks);
/// The stream then ends without error.
void stop_watching(Handle& flux, Matchtag tag);

}  // namespace sluice
