#include "broker/service/trace_streams.hpp"

#include <fnmatch.h>

#include "base/rfc/eventlog.hpp"

namespace sluice {
namespace {

JsonObject show_trace(const MessageTrace& trace, bool full) {
    const Message& message = trace.message;
    const int errnum = message.type == MessageType::response ? message.errnum() : 0;
    const std::size_t size = message.payload ? message.bytes().size() : 0;
    JsonObject shown{{"timestamp", wall_clock_now()},
                     {"prefix", trace.way == MessageTrace::Way::received ? "rx" : "tx"},
                     {"rank", trace.rank}};
    shown["name"] = trace.service.empty() ? Json(nullptr) : Json(trace.service);
    shown["type"] = static_cast<int>(message.type);
    shown["topic"] = message.topic;
    shown["payload_size"] = size;
    shown["payload"] = nullptr;
    if (full && size > 0)
        if (auto payload = parse_json_object(message.text()))
            shown["payload"] = *std::move(payload);
    shown["errnum"] = errnum;
    shown["errstr"] = errnum && size > 0 ? message.text() : std::string_view{};
    return shown;
}

}  // namespace

bool TraceStreams::Filter::passes(const MessageTrace& trace) const {
    if (!(types & static_cast<std::int64_t>(trace.message.type))) return false;
    if (!services.empty() && !services.contains(trace.service)) return false;
    if (rank != -1 && trace.rank != -1 && rank != trace.rank) return false;
    return ::fnmatch(topic_glob.c_str(), trace.message.topic.c_str(), 0) == 0;
}

bool TraceStreams::add(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    Filter filter{.types = in.integer("typemask"), .topic_glob = in.string("topic_glob")};
    filter.rank = in.integer_or("nodeid", -1);
    filter.full = in.boolean_or("full", false);
    const JsonArray* names = in.maybe_array("names");
    if (!in) return request.fail(in.error()), false;
    if (!request.streaming())
        return request.fail(fail(EPROTO, "{}: set the STREAMING flag", request.topic())), false;
    if (names)
        for (const Json& name : *names)
            if (name.is_string()) filter.services.emplace(name.as_string());
    streams_.add(std::move(request), std::move(filter));
    return true;
}

void TraceStreams::show(const MessageTrace& trace) {
    // What tells of a trace is not traced: each would tell of the next.
    if (trace.message.topic == "module.trace" || trace.message.topic == "overlay.trace") return;
    for (const auto& [request, filter] : streams_.entries())
        if (filter.passes(trace)) request.respond(show_trace(trace, filter.full));
}

}  // namespace sluice
