#include "cmd/job/event_stream.hpp"

#include <memory>

namespace sluice {
namespace {

constexpr int flag_waitcreate = 1, flag_initial_sentinel = 2;

void deliver(const Reply& reply, const EventStreamCallbacks& callbacks) {
    if (!reply.ok()) {
        if (callbacks.on_end)
            callbacks.on_end(reply.end_of_stream() ? Result<void>{} : Result<void>{reply.error()});
        return;
    }
    if (reply.message.text().empty()) {
        if (callbacks.on_sentinel) callbacks.on_sentinel();
        return;
    }
    const Result<JsonObject> payload = reply.json();
    if (!payload) return;
    JsonReader in(*payload);
    const std::string line = in.string("event");
    if (!in) return;
    if (const Result<Event> event = decode_event(line); event && callbacks.on_event)
        callbacks.on_event(*event);
}

}  // namespace

Matchtag watch_events(Handle& flux, JobId id, const EventStreamOptions& options,
                      EventStreamCallbacks callbacks) {
    JsonObject payload;
    payload["id"] = id.value;
    payload["path"] = options.path;
    payload["flags"] = (options.wait_create ? flag_waitcreate : 0) |
                       (options.sentinel ? flag_initial_sentinel : 0);
    return flux.send(
        "job-info.eventlog-watch", payload, RpcOptions{.streaming = true},
        [callbacks = std::move(callbacks)](const Reply& reply) { deliver(reply, callbacks); });
}

void stop_watching(Handle& flux, Matchtag tag) {
    flux.cancel("job-info.eventlog-watch-cancel", tag);
}

}  // namespace sluice
