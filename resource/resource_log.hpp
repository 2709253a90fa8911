// RFC 44 - the log of what happened to the resources: kept in memory up to a number of events, told
// to each new listener from the beginning. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace sluice {

class ResourceLog {
  public:
    struct Event {
        JsonObject entry;         // {timestamp, name, context}
        std::optional<Json> R;    // with resource-define
    };
    explicit ResourceLog(std::size_t events_max) : events_max_(events_max) {}

    /// Adds an event; the oldest goes when there are too many.
    const Event& add(double now, std::string_view name, JsonObject context,
                     std::optional<Json> R = std::nullopt);
    /// Events of earlier runs, {timestamp, name, context}: they come before all others.
    void prepend(const std::vector<JsonObject>& entries);
    /// The messages of resource.journal for all events so far: {"events":[…]} in runs, and one of
    /// its own with "R" for each event that has one. The closing {"events":[]} is not included.
    std::vector<JsonObject> backlog() const;
    /// The message for one event.
    static JsonObject message(const Event& event);
    void set_events_max(std::size_t events_max) { events_max_ = events_max; }
    std::size_t size() const { return events_.size(); }

  private:
    std::size_t events_max_;
    std::deque<Event> events_;
};

}  // namespace sluice
