#include "cmd/format/conversion.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "base/json.hpp"
#include "base/rfc/fsd.hpp"

namespace sluice {

namespace {

std::string time_text(std::string_view format, const FieldValue& value) {
    const auto seconds = numeric(value);
    if (!seconds) return plain_text(value);
    if (*seconds == 0) return "";
    return format.empty() ? iso_local_time(*seconds) : local_time(*seconds, std::string(format));
}

std::string ascii_only(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::string_view character = text_prefix(text.substr(i), 1);
        i += character.size();
        if (lead < 0x80) {
            out += character;
            continue;
        }
        std::uint32_t code = lead & (character.size() == 2   ? 0x1F
                                     : character.size() == 3 ? 0x0F
                                                             : 0x07);
        for (const char c : character.substr(1))
            code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
        out += code > 0xFFFF ? fmt::format("\\U{:08x}", code)
               : code > 0xFF ? fmt::format("\\u{:04x}", code)
                             : fmt::format("\\x{:02x}", code);
    }
    return out;
}

std::string quoted(const FieldValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return plain_text(value);
    const char quote = text->find('\'') != text->npos && text->find('"') == text->npos ? '"' : '\'';
    std::string out(1, quote);
    for (const char c : *text) {
        if (c == quote || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out + quote;
}

}  // namespace

bool known_conversion(char letter) {
    return std::string_view{"DdFHPrsa"}.find(letter) != std::string_view::npos;
}

std::optional<double> numeric(const FieldValue& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* truth = std::get_if<bool>(&value)) return *truth;
    const auto& text = std::get<std::string>(value);
    if (text.empty()) return std::nullopt;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (*end) return std::nullopt;
    return number;
}

bool is_empty_value(const FieldValue& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real == 0;
    const auto* text = std::get_if<std::string>(&value);
    if (!text) return false;
    return text->empty() || *text == "0s" || *text == "0.0" || *text == "0:00:00" ||
           *text == "1970-01-01T00:00:00" || *text == "1970-01-01 00:00:00";
}

std::string local_time(double seconds, const std::string& strftime_format) {
    const auto whole = static_cast<std::time_t>(std::floor(seconds));
    std::tm fields{};
    localtime_r(&whole, &fields);
    std::array<char, 512> text{};
    const std::size_t n = std::strftime(text.data(), text.size(), strftime_format.c_str(), &fields);
    return {text.data(), n};
}

std::string iso_local_time(double seconds) {
    return local_time(seconds, "%Y-%m-%dT%H:%M:%S");
}

std::string clock_duration(double seconds) {
    if (seconds > 0 && seconds < 1) seconds = 1;  // a running job has some time left
    const auto whole = std::llround(seconds);
    const auto days = whole / 86400;
    const auto rest = whole % 86400;
    const std::string clock = fmt::format("{}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60);
    if (days == 0) return clock;
    return fmt::format("{} day{}, {}", days, days == 1 ? "" : "s", clock);
}

std::string percentage(double fraction) {
    const double percent = fraction * 100;
    return percent > 0 && percent < 1 ? fmt::format("{:.2f}%", percent)
                                      : fmt::format("{:.3g}%", percent);
}

FieldValue convert(char letter, std::string_view time_format, FieldValue value) {
    if (letter == 0) return value;
    const auto number = numeric(value);
    switch (letter) {
        case 'D':
            return time_text("", value);
        case 'd':
            return time_text(time_format, value);
        case 'F':
            return number ? fsd_format(*number) : plain_text(value);
        case 'H':
            return number && std::isfinite(*number) ? clock_duration(*number) : plain_text(value);
        case 'P':
            return number ? percentage(*number) : plain_text(value);
        case 'r':
            return quoted(value);
        case 'a':
            return ascii_only(quoted(value));
        case 's':
            return plain_text(value);
        default:
            return value;
    }
}

}  // namespace sluice
