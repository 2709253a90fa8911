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

}  // namespace

Result<JsonObject> parse_dependency(std::string_view uri) {
    const std::size_t question = std::min(uri.find('?'), uri.size());
    const std::string_view head = uri.substr(0, question);
    std::string_view query = uri.substr(std::min(question + 1, uri.size()));
    const std::size_t colon = std::min(head.find(':'), head.size());
    if (colon == 0) return fail(EINVAL, "Invalid dependency URI \"{}\"", uri.empty() ? ":" : uri);
    JsonObject dependency;
    dependency["scheme"] = head.substr(0, colon);
    dependency["value"] = head.substr(std::min(colon + 1, head.size()));
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0) continue;
        add_value(dependency, pair.substr(0, equals), number_or_text(pair.substr(equals + 1)));
    }
    return dependency;
}

}  // namespace sluice
