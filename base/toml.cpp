#include "base/toml.hpp"

#include <algorithm>
#include <sstream>

#include "base/toml_library.hpp"

namespace sluice {
namespace {

Json to_json(const toml::node& node);

JsonObject to_object(const toml::table& table) {
    JsonObject object;
    // toml++ sorts by key; the order of the document tells which came first.
    std::vector<std::pair<std::string_view, const toml::node*>> members;
    for (const auto& [key, value] : table) members.emplace_back(key.str(), &value);
    std::ranges::stable_sort(members, {}, [](const auto& member) {
        const auto& begin = member.second->source().begin;
        return std::pair{begin.line, begin.column};
    });
    for (const auto& [key, value] : members) object[key] = to_json(*value);
    return object;
}

template <class Time>
Json text_of(const Time& time) {
    std::ostringstream out;
    out << time;
    return Json(out.str());
}

Json to_json(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::none: return Json(nullptr);
        case toml::node_type::table: return Json(to_object(*node.as_table()));
        case toml::node_type::array: {
            JsonArray array;
            for (const toml::node& item : *node.as_array()) array.push_back(to_json(item));
            return Json(std::move(array));
        }
        case toml::node_type::string: return Json(node.as_string()->get());
        case toml::node_type::integer: return Json(node.as_integer()->get());
        case toml::node_type::floating_point: return Json(node.as_floating_point()->get());
        case toml::node_type::boolean: return Json(node.as_boolean()->get());
        case toml::node_type::date: return text_of(node.as_date()->get());
        case toml::node_type::time: return text_of(node.as_time()->get());
        case toml::node_type::date_time: return text_of(node.as_date_time()->get());
    }
    return Json(nullptr);
}

void note_places(const toml::node& node, const std::string& path, std::string_view name,
                 TomlPlaces& places) {
    const toml::source_position begin = node.source().begin;
    places[path] = fmt::format("{}:{}:{}", name, begin.line, begin.column);
    if (const toml::table* table = node.as_table())
        for (const auto& [key, value] : *table)
            note_places(value, (path.empty() ? "" : path + ".") + std::string{key.str()}, name,
                        places);
    if (const toml::array* array = node.as_array())
        for (std::size_t i = 0; i < array->size(); ++i)
            note_places((*array)[i], fmt::format("{}[{}]", path, i), name, places);
}

Error syntax_error(std::string_view name, const toml::source_position& at, std::string_view what) {
    return fail(EINVAL, "{}:{}:{}: {}", name, at.line, at.column, what);
}

Result<toml::table> parse_table(std::string_view text, std::string_view name) {
    toml::parse_result parsed = toml::parse(text);
    if (parsed) return std::move(parsed).table();
    const toml::parse_error& error = parsed.error();
    return syntax_error(name, error.source().begin, error.description());
}

bool has_bad_key(std::string_view text) {
    try {
        return static_cast<void>(toml::parse(text)), false;
    } catch (const BadTomlKey&) {
        return true;
    }
}

/// The place of the table header without a key: on the line that ends the shortest text with it.
Error bad_key_error(std::string_view text, std::string_view name) {
    toml::source_position at{1, 1};
    std::size_t end = 0, begin = 0;
    for (;; ++at.line, begin = end) {
        end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        if (end == text.size() || has_bad_key(text.substr(0, end))) break;
    }
    at.column = static_cast<toml::source_index>(
        std::min(text.find('[', begin), text.size()) - begin + 1);
    return syntax_error(name, at, "found a table without a key; want [NAME] or [[NAME]]");
}

}  // namespace

Result<TomlDocument> parse_toml_document(std::string_view text, std::string_view name) {
    try {
        SLUICE_TRY(const toml::table table, parse_table(text, name));
        TomlDocument document{.root = to_object(table), .places = {}};
        note_places(table, "", name, document.places);
        return document;
    } catch (const BadTomlKey&) {
        return bad_key_error(text, name);
    }
}

Result<JsonObject> parse_toml(std::string_view text, std::string_view name) {
    SLUICE_TRY(TomlDocument document, parse_toml_document(text, name));
    return std::move(document.root);
}

}  // namespace sluice
