#include "cmd/job/event_stream.hpp"

#include <memory>

namespace sluice {
namespace {

constexpr int flag_waitcreate = 1, flag_initial_sentinel = 2;

constexpr std::size_t confirm_bytes = std::size_t{256} << 10;

/// Tells the broker what was taken, so that it sends no more than we read.
struct Confirmation {
    Handle& flux;
    Matchtag tag = 0;
    std::size_t bytes = 0;

    void taken(std::size_t size) {
        bytes += size;
        if (bytes < confirm_bytes) return;
        const JsonObject payload{{"matchtag", tag}, {"bytes", std::exchange(bytes, 0)}};
        flux.send("job-info.eventlog-watch-ack", payload, {.noresponse = true}, {});
    }
};

void deliver(const Reply& reply, const EventStreamCallbacks& callbacks, Confirmation& confirm) {
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
    confirm.taken(line.size());
}

}  // namespace

Matchtag watch_events(Handle& flux, JobId id, const EventStreamOptions& options,
                      EventStreamCallbacks callbacks) {
    JsonObject payload;
    payload["id"] = id.value;
    payload["path"] = options.path;
    payload["flags"] = (options.wait_create ? flag_waitcreate : 0) |
                       (options.sentinel ? flag_initial_sentinel : 0);
    payload["confirm"] = true;
    const auto confirmation = std::make_shared<Confirmation>(Confirmation{flux});
    confirmation->tag =
        flux.send("job-info.eventlog-watch", payload, RpcOptions{.streaming = true},
                  [callbacks = std::move(callbacks), confirmation](const Reply& reply) {
                      deliver(reply, callbacks, *confirmation);
                  });
    return confirmation->tag;
}

void stop_watching(Handle& flux, Matchtag tag) {
    flux.cancel("job-info.eventlog-watch-cancel", tag);
}

}  // namespace sluice
