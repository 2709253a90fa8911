#include "resource/resource_log.hpp"

#include <utility>

namespace sluice {

const ResourceLog::Event& ResourceLog::add(double now, std::string_view name, JsonObject context,
                                           std::optional<Json> R) {
    JsonObject entry;
    entry["timestamp"] = now;
    entry["name"] = name;
    entry["context"] = std::move(context);
    events_.push_back({std::move(entry), std::move(R)});
    while (events_.size() > 1 && events_.size() > events_max_) events_.pop_front();
    return events_.back();
}

void ResourceLog::prepend(const std::vector<JsonObject>& entries) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
        if (events_.size() >= events_max_) return;
        events_.push_front({*entry, std::nullopt});
    }
}

JsonObject ResourceLog::message(const Event& event) {
    JsonObject message;
    message["events"].emplace_array().emplace_back(event.entry);
    if (event.R) message["R"] = *event.R;
    return message;
}

std::vector<JsonObject> ResourceLog::backlog() const {
    std::vector<JsonObject> messages;
    JsonArray run;
    const auto end_run = [&] {
        if (run.empty()) return;
        JsonObject message;
        message["events"] = std::exchange(run, JsonArray{});
        messages.push_back(std::move(message));
    };
    for (const Event& event : events_) {
        if (!event.R) {
            run.emplace_back(event.entry);
            continue;
        }
        end_run();
        messages.push_back(message(event));
    }
    end_run();
    return messages;
}

}  // namespace sluice
