// RFC 18 - see eventlog.hpp.
#include "base/rfc/eventlog.hpp"

#include <chrono>

namespace sluice {

std::string encode_event(const Event& event) {
    std::string line = "{\"timestamp\":";
    line += dump_real(event.timestamp);
    line += ",\"name\":";
    line += dump_json(Json(event.name));
    if (!event.context.empty()) {
        line += ",\"context\":";
        line += dump_json(event.context);
    }
    line += "}\n";
    return line;
}

JsonObject event_to_json(const Event& event) {
    JsonObject object{{"timestamp", event.timestamp}, {"name", event.name}};
    if (!event.context.empty()) object["context"] = event.context;
    return object;
}

Result<Event> event_from_json(const JsonObject& object) {
    JsonReader in{object};
    Event event;
    event.timestamp = in.number("timestamp");
    event.name = in.string("name");
    if (object.contains("context")) event.context = in.object("context");
    if (!in) return in.error().in("event");
    if (!(event.timestamp > 0))
        return fail(EPROTO, "event: timestamp {} is not above 0", event.timestamp);
    if (event.name.empty()) return fail(EPROTO, "event: name is empty");
    return event;
}

Result<Event> decode_event(std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    SLUICE_TRY(const JsonObject object, parse_json_object(line));
    return event_from_json(object);
}

Result<std::vector<Event>> decode_eventlog(std::string_view text) {
    std::vector<Event> events;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos)
            return fail(EPROTO, "eventlog line {}: cut before its newline", line);
        auto event = decode_event(text.substr(0, end));
        if (!event) return event.error().in(fmt::format("eventlog line {}", line));
        events.push_back(*std::move(event));
        text.remove_prefix(end + 1);
    }
    return events;
}

double wall_clock_now() {
    using Seconds = std::chrono::duration<double>;
    return Seconds{std::chrono::system_clock::now().time_since_epoch()}.count();
}

}  // namespace sluice
