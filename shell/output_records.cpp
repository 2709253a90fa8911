#include "shell/output_records.hpp"

#include <algorithm>

#include "base/base64.hpp"

namespace sluice::shell {
namespace {

/// Length of the UTF-8 character that begins with `lead`; 0 when none does.
std::size_t character_size(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead < 0xE0) return 2;
    if (lead >= 0xE0 && lead < 0xF0) return 3;
    if (lead >= 0xF0 && lead < 0xF5) return 4;
    return 0;
}

bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::size_t whole_characters(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if (is_continuation(static_cast<char>(byte))) continue;
        return character_size(byte) > back ? text.size() - back : text.size();
    }
    return text.size();
}

Event output_header(double now, std::uint32_t count) {
    Event event{now, "header", {}};
    event.context["version"] = 1;
    event.context["encoding"] = JsonObject{{"stdout", "UTF-8"}, {"stderr", "UTF-8"}};
    event.context["count"] = JsonObject{{"stdout", count}, {"stderr", count}};
    event.context["options"] = JsonObject{};
    return event;
}

Event input_header(double now) {
    Event event{now, "header", {}};
    event.context["version"] = 1;
    JsonObject encoding, count;
    encoding["stdin"] = "UTF-8";
    count["stdin"] = 1;
    event.context["encoding"] = std::move(encoding);
    event.context["count"] = std::move(count);
    event.context["options"] = JsonObject{};
    return event;
}

Event data_record(double now, std::string_view stream, std::string_view rank,
                  std::string_view data) {
    Event event{now, "data", {}};
    event.context["stream"] = stream;
    event.context["rank"] = rank;
    if (is_utf8_text(data)) {
        event.context["data"] = data;
    } else {
        event.context["encoding"] = "base64";
        event.context["data"] = base64_encode(data);
    }
    return event;
}

Event eof_record(double now, std::string_view stream, std::string_view rank) {
    Event event{now, "data", {}};
    event.context["stream"] = stream;
    event.context["rank"] = rank;
    event.context["eof"] = true;
    return event;
}

Event redirect_record(double now, std::string_view stream, std::string_view ranks,
                      std::string_view path) {
    Event event{now, "redirect", {}};
    event.context["stream"] = stream;
    event.context["rank"] = ranks;
    event.context["path"] = path;
    return event;
}

Event log_record(double now, std::uint32_t shell_rank, const LogText& text) {
    Event event{now, "log", {}};
    event.context["rank"] = shell_rank;
    event.context["level"] = static_cast<int>(text.level);
    event.context["message"] = readable_text(text.message);
    if (!text.component.empty()) event.context["component"] = text.component;
    return event;
}

Result<IoData> decode_io(const JsonObject& object) {
    JsonReader in{object};
    IoData io;
    in.string("stream");
    io.rank = in.string("rank");
    io.data = in.string_or("data", "");
    io.eof = in.boolean_or("eof", false);
    const std::string encoding = in.string_or("encoding", "UTF-8");
    if (!in) return in.error();
    if (encoding == "base64") {
        SLUICE_TRY(io.data, base64_decode(io.data));
    } else if (encoding != "UTF-8") {
        return fail(EPROTO, "encoding: found '{}', expected UTF-8 or base64", encoding);
    }
    return io;
}

std::string_view take_line(std::string_view& data) {
    const std::string_view line = data.substr(0, std::min(data.find('\n'), data.size() - 1) + 1);
    data.remove_prefix(line.size());
    return line;
}

namespace {

/// Size of the valid UTF-8 character at the head of `bytes`; 0 when there is none, or a NUL.
std::size_t valid_character(std::string_view bytes) {
    const auto lead = static_cast<unsigned char>(bytes[0]);
    const std::size_t size = character_size(lead);
    if (lead == 0 || size == 0 || bytes.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i)
        if (!is_continuation(bytes[i])) return 0;
    const auto second = size > 1 ? static_cast<unsigned char>(bytes[1]) : 0;
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second >= 0xA0;
    return overlong || surrogate || (lead == 0xF4 && second >= 0x90) ? 0 : size;
}

}  // namespace

bool is_utf8_text(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t size = valid_character(bytes.substr(at));
        if (size == 0) return false;
        at += size;
    }
    return true;
}

std::string log_line(std::uint32_t shell_rank, const LogText& text) {
    const auto prefix = [&]() -> std::string_view {
        switch (text.level) {
            case LogLevel::fatal:
                return "FATAL: ";
            case LogLevel::error:
                return "ERROR: ";
            case LogLevel::warning:
                return " WARN: ";
            case LogLevel::notice:
                return "";
            case LogLevel::debug:
                return "DEBUG: ";
            case LogLevel::trace:
                return "TRACE: ";
        }
        return "";
    };
    return fmt::format("flux-shell[{}]: {}{}{}{}\n", shell_rank, prefix(), text.component,
                       text.component.empty() ? "" : ": ", readable_text(text.message));
}

std::string readable_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text[0]);
        const std::size_t size = valid_character(text);
        const bool control = (lead < 0x20 && lead != '\t' && lead != '\n') || lead == 0x7F;
        if (size == 0 || control) {
            out += fmt::format("\\x{:02x}", lead);
        } else {
            out += text.substr(0, size);
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

std::string OutputCutter::append(std::string_view bytes) {
    held_.append(bytes);
    std::size_t size = line_buffered_ ? held_.rfind('\n') + 1 : whole_characters(held_);
    if (size == 0 && held_.size() > line_bytes_max) size = whole_characters(held_);
    std::string out = held_.substr(0, size);
    held_.erase(0, size);
    return out;
}

}  // namespace sluice::shell
