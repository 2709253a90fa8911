#include "cmd/format/named_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {

namespace {

const NamedFormat* find_format(const FormatCatalog& catalog, std::string_view name) {
    const auto& formats = catalog.formats;
    const auto found = std::ranges::find(formats, name, &NamedFormat::name);
    return found == formats.end() ? nullptr : &*found;
}

std::string list_text(const FormatCatalog& catalog) {
    std::string text = fmt::format("\nConfigured {} output formats:\n\n", catalog.tool);
    for (const NamedFormat& format : catalog.formats)
        text += fmt::format("  {:<12} {}\n", format.name, format.description);
    return text;
}

std::string toml_string(std::string_view text) {
    return dump_json(Json(text));
}

Result<std::string> snippet(const FormatCatalog& catalog, std::string_view name) {
    const NamedFormat* format = find_format(catalog, name);
    if (!format) return fail(EINVAL, "--format: No such format {}", name);
    const std::string table =
        catalog.subcommand.empty() ? "formats" : catalog.subcommand + ".formats";
    return fmt::format("[{}.{}]\ndescription = {}\nformat = {}\n", table, name,
                       toml_string(format->description), toml_string(format->format));
}

Result<void> add_table(FormatCatalog& catalog, std::size_t builtin_count, const Json& table,
                       std::string_view path) {
    if (!table.is_object())
        return fail(EINVAL, "{}: the formats key must be a mapping (a TOML table), found {}", path,
                    json_type_name(table));
    for (const auto& [name, value] : table.get_object()) {
        const auto end = catalog.formats.begin() + static_cast<std::ptrdiff_t>(builtin_count);
        const std::string key{name};
        if (std::ranges::find(catalog.formats.begin(), end, key, &NamedFormat::name) != end)
            return fail(EINVAL, "{}: override of builtin format '{}' not permitted", path, key);
        if (!value.is_object())
            return fail(EINVAL, "{}: format '{}' must be a mapping (a TOML table), found {}", path,
                        key, json_type_name(value));
        const Json* format = find_path(value, "format");
        const Json* description = find_path(value, "description");
        if (!format)
            return fail(EINVAL, "{}: required key 'format' missing in format '{}'", path, key);
        if (!format->is_string())
            return fail(EINVAL, "{}: 'format' must be a string in format '{}'", path, key);
        if (description && !description->is_string())
            return fail(EINVAL, "{}: 'description' must be a string in format '{}'", path, key);
        std::erase_if(catalog.formats, [&](const NamedFormat& f) { return f.name == key; });
        catalog.formats.push_back({key, description ? std::string(description->get_string()) : "",
                                   std::string(format->get_string())});
    }
    return {};
}

}  // namespace

Result<void> add_user_formats(FormatCatalog& catalog, std::size_t builtin_count,
                              const JsonObject& file, std::string_view path) {
    for (const auto& [name, value] : file) {
        const std::string key{name};
        if (catalog.subcommand.empty()) {
            if (key != "formats") return fail(EINVAL, "{}: invalid key {}", path, key);
            SLUICE_CHECK(add_table(catalog, builtin_count, value, path));
            continue;
        }
        if (!value.is_object()) return fail(EINVAL, "{}: invalid key {}", path, key);
        if (key != catalog.subcommand) continue;  // another sub-command of the same tool
        if (const Json* formats = value.get_object().if_contains("formats"))
            SLUICE_CHECK(add_table(catalog, builtin_count, *formats, path));
    }
    return {};
}

Result<FormatChoice> choose_format(const FormatCatalog& catalog, std::string_view wanted,
                                   std::optional<std::string> environment_value) {
    std::string name{wanted};
    if (name == "default" && environment_value && !environment_value->empty())
        name = *environment_value;
    if (name.find('{') != name.npos) return FormatChoice{name, ""};
    if (name == "help") return FormatChoice{"", list_text(catalog)};
    constexpr std::string_view get_config = "get-config=";
    if (name.starts_with(get_config)) {
        SLUICE_TRY(std::string text, snippet(catalog, name.substr(get_config.size())));
        return FormatChoice{"", std::move(text)};
    }
    if (const NamedFormat* format = find_format(catalog, name))
        return FormatChoice{format->format, ""};
    return fail(EINVAL, "--format: No such format {} (Did you mean '{{{}}}'?)", name, name);
}

}  // namespace sluice
