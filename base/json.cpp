#include "base/json_text.hpp"

#include <charconv>
#include <cmath>
#include <cstring>

namespace sluice {
namespace {

struct Layout {
    std::string_view item;   // between items
    std::string_view colon;  // between key and value
    int indent = -1;         // spaces a level, or -1 for one line
};

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

/// Bytes at the front of `text` that stand for themselves in JSON; eight at a time while all do.
std::size_t plain_prefix(std::string_view text) {
    constexpr std::uint64_t ones = 0x0101010101010101, highs = ones << 7;
    const auto any_below = [](std::uint64_t word, std::uint64_t limit) {
        return (word - ones * limit) & ~word & highs;
    };
    std::size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + at, 8);
        if (any_below(word, 0x20) | any_below(word ^ ones * '"', 1) |
            any_below(word ^ ones * '\\', 1))
            break;
    }
    while (at < text.size() && is_plain(text[at])) ++at;
    return at;
}

void append_escaped(std::string& out, char c) {
    static constexpr char hex[] = "0123456789abcdef";
    switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        case '\b': out += "\\b"; break;
        case '\f': out += "\\f"; break;
        default: out += {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    }
}

void dump_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const std::size_t plain = plain_prefix(text);
        out.append(text, 0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        append_escaped(out, text.front());
        text.remove_prefix(1);
    }
    out += '"';
}

/// Times in whole microseconds, which most reals are here, without the search for the shortest
/// digits: neighbours are farther apart than doubles of this size, so these are the shortest.
bool append_microseconds(std::string& out, double value) {
    if (!(value >= 1e6 && value < 4e9)) return false;
    const double scaled = std::round(value * 1e6);
    if (scaled / 1e6 != value) return false;
    char buffer[24];
    const auto whole = static_cast<std::uint64_t>(scaled) / 1'000'000;
    auto rest = static_cast<std::uint32_t>(static_cast<std::uint64_t>(scaled) % 1'000'000);
    char* at = std::to_chars(buffer, buffer + sizeof buffer, whole).ptr;
    *at++ = '.';
    for (int i = 5; i >= 0; --i, rest /= 10) at[i] = static_cast<char>('0' + rest % 10);
    at += 6;
    while (at[-1] == '0' && at[-2] != '.') --at;
    out.append(buffer, at);
    return true;
}

void append_real(std::string& out, double value) {
    if (append_microseconds(out, value)) return;
    if (!std::isfinite(value)) {  // JSON has no infinity; jansson refuses to make one
        out += "null";
        return;
    }
    char buffer[40];
    // An exponent only where Python and jansson write one: 2e+09 is 2000000000.0 for all others.
    const double size = std::abs(value);
    const bool fixed = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto end = fixed ? std::to_chars(buffer, buffer + sizeof buffer, value,
                                           std::chars_format::fixed).ptr
                           : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    const std::string_view text(buffer, end - buffer);
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void new_line(std::string& out, const Layout& layout, int level) {
    if (layout.indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(layout.indent) * level, ' ');
}

void dump(std::string& out, const Json& value, const Layout& layout, int level);

void dump(std::string& out, const JsonObject& object, const Layout& layout, int level) {
    out += '{';
    bool first = true;
    for (const auto& member : object) {
        if (!first) out += layout.item;
        first = false;
        new_line(out, layout, level + 1);
        dump_string(out, member.key());
        out += layout.colon;
        dump(out, member.value(), layout, level + 1);
    }
    if (!first) new_line(out, layout, level);
    out += '}';
}

void dump(std::string& out, const JsonArray& array, const Layout& layout, int level) {
    out += '[';
    bool first = true;
    for (const auto& item : array) {
        if (!first) out += layout.item;
        first = false;
        new_line(out, layout, level + 1);
        dump(out, item, layout, level + 1);
    }
    if (!first) new_line(out, layout, level);
    out += ']';
}

void dump(std::string& out, const Json& value, const Layout& layout, int level) {
    switch (value.kind()) {
        case boost::json::kind::null: out += "null"; break;
        case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; break;
        case boost::json::kind::int64: append_json(out, value.get_int64()); break;
        case boost::json::kind::uint64: append_json(out, value.get_uint64()); break;
        case boost::json::kind::double_: append_real(out, value.get_double()); break;
        case boost::json::kind::string: dump_string(out, value.get_string()); break;
        case boost::json::kind::array: dump(out, value.get_array(), layout, level); break;
        case boost::json::kind::object: dump(out, value.get_object(), layout, level); break;
    }
}

constexpr Layout compact{",", ":"};

}  // namespace

Result<JsonObject> parse_json_object(std::string_view text) {
    SLUICE_TRY(Json value, parse_json(text));
    if (!value.is_object())
        return fail(EPROTO, "JSON: expected an object, found {}", json_type_name(value));
    return std::move(value.get_object());
}

void append_json(std::string& out, std::string_view text) { dump_string(out, text); }
void append_json(std::string& out, double real) { append_real(out, real); }
void append_json(std::string& out, const JsonObject& object) { dump(out, object, compact, 0); }

std::string dump_json(const Json& value) {
    std::string out;
    dump(out, value, compact, 0);
    return out;
}

std::string dump_json(const JsonObject& object) {
    std::string out;
    dump(out, object, compact, 0);
    return out;
}

std::string dump_json_spaced(const Json& value) {
    std::string out;
    dump(out, value, Layout{", ", ": "}, 0);
    return out;
}

std::string dump_json_pretty(const Json& value, int indent) {
    std::string out;
    dump(out, value, Layout{",", ": ", indent}, 0);
    return out;
}

std::string dump_real(double value) {
    std::string out;
    append_real(out, value);
    return out;
}

const Json* JsonReader::find(std::string_view key, std::string_view wanted, bool required) {
    const Json* value = object_.if_contains(key);
    if (value && value->is_null() && !required) return nullptr;
    if (!value && required && !error_)
        error_ = fail(EPROTO, "object item not found: {} ({})", key, wanted);
    return value;
}

void JsonReader::wrong(std::string_view key, std::string_view wanted, const Json& found) {
    if (!error_)
        error_ = fail(EPROTO, "{}: expected {}, found {}", key, wanted, json_type_name(found));
}

std::string JsonReader::string(std::string_view key) {
    const Json* value = find(key, "string", true);
    if (!value) return {};
    if (value->is_string()) return std::string(value->get_string());
    wrong(key, "string", *value);
    return {};
}

std::int64_t JsonReader::integer(std::string_view key) {
    const Json* value = find(key, "integer", true);
    if (!value) return 0;
    if (const auto number = as_integer(*value)) return *number;
    wrong(key, "integer", *value);
    return 0;
}

double JsonReader::number(std::string_view key) {
    const Json* value = find(key, "number", true);
    if (!value) return 0;
    if (const auto number = as_number(*value)) return *number;
    wrong(key, "number", *value);
    return 0;
}

bool JsonReader::boolean(std::string_view key) {
    const Json* value = find(key, "boolean", true);
    if (!value) return false;
    if (value->is_bool()) return value->get_bool();
    wrong(key, "boolean", *value);
    return false;
}

const JsonObject& JsonReader::object(std::string_view key) {
    static const JsonObject empty;
    const Json* value = find(key, "object", true);
    if (!value) return empty;
    if (value->is_object()) return value->get_object();
    wrong(key, "object", *value);
    return empty;
}

const JsonArray& JsonReader::array(std::string_view key) {
    static const JsonArray empty;
    const Json* value = find(key, "array", true);
    if (!value) return empty;
    if (value->is_array()) return value->get_array();
    wrong(key, "array", *value);
    return empty;
}

const Json* JsonReader::any(std::string_view key) { return find(key, "any", true); }

std::string JsonReader::string_or(std::string_view key, std::string fallback) {
    return find(key, "string", false) ? string(key) : std::move(fallback);
}

std::int64_t JsonReader::integer_or(std::string_view key, std::int64_t fallback) {
    return find(key, "integer", false) ? integer(key) : fallback;
}

double JsonReader::number_or(std::string_view key, double fallback) {
    return find(key, "number", false) ? number(key) : fallback;
}

bool JsonReader::boolean_or(std::string_view key, bool fallback) {
    return find(key, "boolean", false) ? boolean(key) : fallback;
}

std::optional<std::string> JsonReader::maybe_string(std::string_view key) {
    if (!find(key, "string", false)) return std::nullopt;
    return string(key);
}

const JsonObject* JsonReader::maybe_object(std::string_view key) {
    return find(key, "object", false) ? &object(key) : nullptr;
}

const JsonArray* JsonReader::maybe_array(std::string_view key) {
    return find(key, "array", false) ? &array(key) : nullptr;
}

const Json* find_path(const JsonObject& root, std::string_view dotted) {
    const JsonObject* object = &root;
    for (;;) {
        const std::size_t dot = dotted.find('.');
        const Json* value = object->if_contains(dotted.substr(0, dot));
        if (!value || dot == std::string_view::npos) return value;
        object = value->if_object();
        if (!object) return nullptr;
        dotted.remove_prefix(dot + 1);
    }
}

const Json* find_path(const Json& root, std::string_view dotted) {
    const JsonObject* object = root.if_object();
    return object ? find_path(*object, dotted) : nullptr;
}

void set_path(JsonObject& root, std::string_view dotted, Json value) {
    JsonObject* object = &root;
    for (std::size_t dot; (dot = dotted.find('.')) != std::string_view::npos;
         dotted.remove_prefix(dot + 1)) {
        Json& next = (*object)[dotted.substr(0, dot)];
        if (!next.is_object()) next.emplace_object();
        object = &next.get_object();
    }
    (*object)[dotted] = std::move(value);
}

std::string_view json_type_name(const Json& value) {
    switch (value.kind()) {
        case boost::json::kind::null: return "null";
        case boost::json::kind::bool_: return "boolean";
        case boost::json::kind::int64:
        case boost::json::kind::uint64: return "integer";
        case boost::json::kind::double_: return "real";
        case boost::json::kind::string: return "string";
        case boost::json::kind::array: return "array";
        case boost::json::kind::object: return "object";
    }
    return "value";
}

std::optional<std::int64_t> as_integer(const Json& value) {
    if (value.is_int64()) return value.get_int64();
    if (value.is_uint64()) return static_cast<std::int64_t>(value.get_uint64());
    return std::nullopt;
}

std::optional<double> as_number(const Json& value) {
    if (value.is_double()) return value.get_double();
    if (const auto integer = as_integer(value)) return static_cast<double>(*integer);
    return std::nullopt;
}

}  // namespace sluice
