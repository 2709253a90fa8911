// Values of output fields, and the format specifications that lay them out (those of Python's
// str.format, which users' format strings are written in): [[fill]align][sign][#][0][width]
// [grouping][.precision][type].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace sluice {

/// One field of one row; the empty string is "unset".
using FieldValue = std::variant<std::string, std::int64_t, double, bool>;

struct FormatSpec {
    std::string fill = " ";  // one character, UTF-8
    char align = 0;          // '<' '>' '^' '=', or 0: left for text, right for numbers
    char sign = '-';         // '-' '+' ' '
    bool alternate = false;
    char grouping = 0;       // ',' or '_'
    std::size_t width = 0;
    std::optional<std::size_t> precision;
    char type = 0;
    friend bool operator==(const FormatSpec&, const FormatSpec&) = default;
};

/// nullopt for text that is no specification.
std::optional<FormatSpec> parse_format_spec(std::string_view text);
/// The value laid out. A type letter that does not suit the value is ignored, so that an unset
/// value never spoils a row.
std::string format_value(const FormatSpec& spec, const FieldValue& value);
/// The value without layout: "16", "600.0", "True", or the text.
std::string plain_text(const FieldValue& value);

/// Characters in UTF-8 text, which are what widths and precisions count.
std::size_t text_width(std::string_view text);
/// The first `characters` of UTF-8 text.
std::string_view text_prefix(std::string_view text, std::size_t characters);

}  // namespace sluice
