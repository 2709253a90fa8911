#include "cmd/options/dependency.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace sluice {
namespace {

Json number_or_text(std::string_view text) {
    const char* end = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto parsed = std::from_chars(text.data(), end, integer);
        parsed.ec == std::errc{} && parsed.ptr == end)
        return Json(integer);
    double real = 0;
    if (const auto parsed = std::from_chars(text.data(), end, real);
        parsed.ec == std::errc{} && parsed.ptr == end)
        return Json(real);
    return Json(text);
}

void add_value(JsonObject& object, std::string_view key, Json value) {
    Json* existing = object.if_contains(key);
    if (!existing) {
        object[key] = std::move(value);
        return;
    }
    if (!existing->is_array()) {
        JsonArray list;
        list.push_back(std::move(*existing));
        *existing = std::move(list);
    }
    existing->get_array().push_back(std::move(value));
}

/// `text` before and after the first `mark`; all of it and nothing when there is none.
std::pair<std::string_view, std::string_view> cut_at(std::string_view text, char mark) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == mark) return {text.substr(0, i), text.substr(i + 1)};
    return {text, {}};
}

}  // namespace

Result<JsonObject> parse_dependency(std::string_view uri) {
    const auto [head, parameters] = cut_at(uri, '?');
    const auto [scheme, value] = cut_at(head, ':');
    if (scheme.empty())
        return fail(EINVAL, "Invalid dependency URI \"{}\"", uri.empty() ? ":" : uri);
    JsonObject dependency;
    dependency["scheme"] = scheme;
    dependency["value"] = value;
    for (std::string_view query = parameters; !query.empty();) {
        const auto [pair, rest] = cut_at(query, '&');
        query = rest;
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        add_value(dependency, pair.substr(0, equals), number_or_text(pair.substr(equals + 1)));
    }
    return dependency;
}

}  // namespace sluice
