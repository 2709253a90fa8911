#include "cmd/format/event_text.hpp"

#include <cmath>
#include <ctime>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

constexpr double minute = 60;

std::string local_time(double time, const char* format) {
    const auto seconds = static_cast<std::time_t>(std::floor(time));
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[64];
    return std::string(text, std::strftime(text, sizeof text, format, &local));
}

/// 2020-01-07T13:31:00.123456+01:00, with Z for UTC.
std::string iso_time(double time) {
    std::string zone = local_time(time, "%z");
    if (zone == "+0000") zone = "Z";
    else if (zone.size() == 5) zone.insert(3, ":");
    const double fraction = time - std::floor(time);
    return fmt::format("{}.{:06.0f}{}", local_time(time, "%Y-%m-%dT%H:%M:%S"),
                       std::min(999999.0, fraction * 1e6), zone);
}

}  // namespace

Result<EventTime> parse_event_time(std::string_view name) {
    if (name == "raw") return EventTime::raw;
    if (name == "iso") return EventTime::iso;
    if (name == "offset") return EventTime::offset;
    if (name == "human") return EventTime::human;
    if (name == "reltime") return EventTime::reltime;
    return fail(EINVAL, "invalid time-format type '{}'", name);
}

std::string EventText::stamp(double time, double now) {
    if (!first_) first_ = time;
    switch (options_.time) {
        case EventTime::raw: return fmt::format("{:.6f}", time);
        case EventTime::iso: return iso_time(time);
        case EventTime::offset: return fmt::format("{:.6f}", time - *first_);
        case EventTime::reltime: return fmt::format("-{}", fsd_format(std::max(0.0, now - time)));
        case EventTime::human: break;
    }
    if (shown_ && time - *shown_ < minute) return fmt::format("[{:>+11.6f}]", time - *shown_);
    shown_ = time;
    return local_time(time, "[%b%d %H:%M]");
}

std::string EventText::next(const Event& event, double now) {
    if (options_.json) return dump_json(event_to_json(event));
    const std::string time = stamp(event.timestamp, now);
    std::string text = options_.color ? fmt::format("\033[32m{}\033[0m \033[33m{}\033[0m", time,
                                                    event.name)
                                      : fmt::format("{} {}", time, event.name);
    for (const auto& member : event.context)
        text += fmt::format(" {}={}", std::string_view{member.key()}, dump_json(member.value()));
    return text;
}

}  // namespace sluice
