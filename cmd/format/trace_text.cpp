#include "cmd/format/trace_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/words.hpp"
#include "cmd/format/conversion.hpp"

namespace sluice {
namespace {

struct TypeRow {
    std::string_view name;
    int bit;  // RFC 3
    char sign;
};
constexpr TypeRow types[] = {
    {"request", 1, '>'}, {"response", 2, '<'}, {"event", 4, 'e'}, {"control", 8, 'c'}};

char type_sign(std::int64_t type) {
    for (const TypeRow& row : types)
        if (row.bit == type) return row.sign;
    return '?';
}

}  // namespace

Result<int> parse_message_types(std::string_view text) {
    int mask = 0;
    for (const std::string& word : split_words(text)) {
        int bit = 0;
        for (const TypeRow& row : types)
            if (row.name == word) bit = row.bit;
        if (!bit) return fail(EINVAL, "valid types: request, response, event, control");
        mask |= bit;
    }
    return mask ? mask : 15;
}

/// A line in full at the first message of a minute, else the seconds within it, or since the
/// message before.
std::string TraceText::stamp(double time) {
    if (!options_.human) {
        const auto milliseconds = static_cast<int>((time - std::floor(time)) * 1e3);
        return fmt::format("{}.{:03}", local_time(time, "%Y-%m-%dT%H:%M:%S"), milliseconds);
    }
    constexpr double minute = 60;
    const double begin = std::floor(time / minute) * minute;
    const double before = options_.delta ? last_.value_or(time) : begin;
    last_ = time;
    if (minute_ == begin) return fmt::format("[{:>+11.6f}]", time - before);
    minute_ = begin;
    return local_time(time, "[%b%d %H:%M]");
}

Result<std::string> TraceText::next(const JsonObject& message) {
    JsonReader in{message};
    const std::string time = stamp(in.number("timestamp"));
    const std::string name = in.string_or("name", "");
    const std::int64_t type = in.integer("type"), rank = in.integer_or("rank", -1);
    const std::string prefix = in.string("prefix"), topic = in.string("topic");
    const std::int64_t size = in.integer("payload_size"), errnum = in.integer_or("errnum", 0);
    const std::string errstr = in.string_or("errstr", "");
    if (!in) return in.error();
    std::string what = name.empty() ? "" : name + " ";
    what += prefix + " ";
    if (name.empty()) what += rank < 0 ? "any " : fmt::format("{} ", rank);
    what += fmt::format("{} {} [{}]", type_sign(type), topic, size);
    if (type == 2 && errnum == 0) what += " success";
    if (type == 2 && errnum != 0)
        what += " " + (errstr.empty() ? Error{static_cast<int>(errnum)}.text() : errstr);
    const std::string_view gap = options_.human ? "  " : " ";
    std::string line = fmt::format("{}{}{}\n", time, gap, what);
    if (options_.color)
        line = fmt::format("\033[32m{}\033[0m{}\033[01;34m{}\033[0m\n", time, gap, what);
    const Json* payload = message.if_contains("payload");
    if (options_.full && payload && payload->is_object())
        line += dump_json_pretty(*payload, 2) + "\n";
    return line;
}

}  // namespace sluice
