#include "cmd/format/format_spec.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"

namespace sluice {

namespace {

constexpr std::size_t width_max = 100000;  // a typing error must not fill the memory

bool is_align(char c) {
    return c == '<' || c == '>' || c == '^' || c == '=';
}
bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t character_bytes(std::string_view text) {
    std::size_t n = text.empty() ? 0 : 1;
    while (n < text.size() && is_continuation(text[n])) ++n;
    return n;
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::size_t> take_number(std::string_view& text) {
    std::size_t value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits]) && value <= width_max)
        value = value * 10 + static_cast<std::size_t>(text[digits++] - '0');
    if (digits == 0 || value > width_max) return std::nullopt;
    text.remove_prefix(digits);
    return value;
}

void take_fill_and_align(std::string_view& text, FormatSpec& spec) {
    const std::size_t n = character_bytes(text);
    if (n < text.size() && is_align(text[n])) {
        spec.fill = text.substr(0, n);
        spec.align = text[n];
        text.remove_prefix(n + 1);
    } else if (!text.empty() && is_align(text.front())) {
        spec.align = text.front();
        text.remove_prefix(1);
    }
}

std::string padded(const FormatSpec& spec, char default_align, std::string_view sign,
                   std::string_view body) {
    const std::size_t used = text_width(sign) + text_width(body);
    const std::size_t room = spec.width > used ? spec.width - used : 0;
    const char align = spec.align ? spec.align : default_align;
    const std::size_t left = align == '>' ? room : align == '^' ? room / 2 : 0;
    const std::size_t inside = align == '=' ? room : 0;
    std::string out;
    out.reserve(sign.size() + body.size() + room * spec.fill.size());
    const auto fill = [&](std::size_t n) {
        if (spec.fill.size() == 1) return void(out.append(n, spec.fill.front()));
        for (; n > 0; --n) out += spec.fill;
    };
    fill(left);
    out += sign;
    fill(inside);
    out += body;
    fill(room - left - inside);
    return out;
}

std::string grouped(std::string body, char separator) {
    if (!separator) return body;
    std::size_t end = 0;
    while (end < body.size() && is_digit(body[end])) ++end;
    for (std::size_t i = end; i > 3; i -= 3) body.insert(i - 3, 1, separator);
    return body;
}

std::string sign_of(const FormatSpec& spec, bool negative) {
    if (negative) return "-";
    return spec.sign == '-' ? std::string{} : std::string(1, spec.sign);
}

/// JSON has no infinity; a time limit may be infinite.
std::string shortest_real(double value) {
    return std::isfinite(value) ? dump_real(value) : fmt::format("{}", value);
}

std::string real_body(const FormatSpec& spec, double value) {
    const auto precision = static_cast<int>(spec.precision.value_or(6));
    switch (spec.type) {
        case 'f':
            return fmt::format("{:.{}f}", value, precision);
        case 'F':
            return fmt::format("{:.{}F}", value, precision);
        case 'e':
            return fmt::format("{:.{}e}", value, precision);
        case 'E':
            return fmt::format("{:.{}E}", value, precision);
        case 'g':
        case 'n':
            return fmt::format("{:.{}g}", value, precision);
        case 'G':
            return fmt::format("{:.{}G}", value, precision);
        case '%':
            return fmt::format("{:.{}f}%", value * 100, precision);
        default:
            break;
    }
    return spec.precision ? fmt::format("{:.{}g}", value, precision) : shortest_real(value);
}

std::string format_real(const FormatSpec& spec, double value) {
    const bool negative = std::signbit(value);
    const std::string body = grouped(real_body(spec, std::fabs(value)), spec.grouping);
    return padded(spec, '>', sign_of(spec, negative), body);
}

std::string integer_body(const FormatSpec& spec, std::uint64_t value) {
    const auto radix = [&](std::string_view prefix, std::string digits) {
        return spec.alternate ? std::string(prefix) + digits : digits;
    };
    switch (spec.type) {
        case 'x':
            return radix("0x", fmt::format("{:x}", value));
        case 'X':
            return radix("0X", fmt::format("{:X}", value));
        case 'o':
            return radix("0o", fmt::format("{:o}", value));
        case 'b':
            return radix("0b", fmt::format("{:b}", value));
        default:
            return grouped(std::to_string(value), spec.grouping);
    }
}

std::string format_integer(const FormatSpec& spec, std::int64_t value) {
    constexpr std::string_view real_types = "eEfFgG%";
    if (spec.type && real_types.find(spec.type) != real_types.npos)
        return format_real(spec, static_cast<double>(value));
    const bool negative = value < 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return padded(spec, '>', sign_of(spec, negative), integer_body(spec, negative ? -bits : bits));
}

std::string format_text(const FormatSpec& spec, std::string_view text) {
    // A precision that belongs to a number ("%.2f") does not cut the text that stands for it.
    const bool cuts = spec.precision && (spec.type == 0 || spec.type == 's');
    return padded(spec, '<', "", cuts ? text_prefix(text, *spec.precision) : text);
}

bool plain(const FormatSpec& spec) {
    return spec == FormatSpec{};
}

}  // namespace

std::size_t text_width(std::string_view text) {
    std::size_t n = 0;
    for (const char c : text) n += !is_continuation(c);
    return n;
}

std::string_view text_prefix(std::string_view text, std::size_t characters) {
    std::size_t bytes = 0;
    for (; characters > 0 && bytes < text.size(); --characters)
        bytes += character_bytes(text.substr(bytes));
    return text.substr(0, bytes);
}

std::optional<FormatSpec> parse_format_spec(std::string_view text) {
    FormatSpec spec;
    take_fill_and_align(text, spec);
    for (const char sign : {'+', '-', ' '})
        if (take(text, sign)) {
            spec.sign = sign;
            break;
        }
    spec.alternate = take(text, '#');
    if (take(text, '0') && !spec.align) {
        spec.fill = "0";
        spec.align = '=';
    }
    if (!text.empty() && is_digit(text.front())) {
        const auto width = take_number(text);
        if (!width) return std::nullopt;
        spec.width = *width;
    }
    if (!text.empty() && (text.front() == ',' || text.front() == '_')) {
        spec.grouping = text.front();
        text.remove_prefix(1);
    }
    if (take(text, '.')) {
        spec.precision = take_number(text);
        if (!spec.precision) return std::nullopt;
    }
    if (!text.empty()) {
        constexpr std::string_view types = "bcdeEfFgGnosxX%";
        if (types.find(text.front()) == types.npos) return std::nullopt;
        spec.type = text.front();
        text.remove_prefix(1);
    }
    if (!text.empty()) return std::nullopt;
    return spec;
}

std::string format_value(const FormatSpec& spec, const FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return format_text(spec, *text);
    if (spec.type == 's') return format_text(spec, plain_text(value));
    if (const auto* number = std::get_if<std::int64_t>(&value))
        return format_integer(spec, *number);
    if (const auto* real = std::get_if<double>(&value)) return format_real(spec, *real);
    // As in Python, a boolean is a number as soon as it is laid out.
    return plain(spec) ? plain_text(value) : format_integer(spec, std::get<bool>(value));
}

std::string plain_text(const FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&value)) return shortest_real(*real);
    return std::get<bool>(value) ? "True" : "False";
}

}  // namespace sluice
