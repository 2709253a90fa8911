#include "cmd/options/key_value.hpp"

namespace sluice {

Result<KeyValue> parse_key_value(std::string_view text, const FileLoader& load) {
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    if (key.empty()) return fail(EINVAL, "missing key in '{}'; use KEY or KEY=VALUE", text);
    if (key.starts_with('^')) {
        if (equals == std::string_view::npos)
            return fail(EINVAL, "missing file in '{}'; use ^KEY=FILE", text);
        const std::string path{text.substr(equals + 1)};
        SLUICE_TRY(const LoadedFile file, load(path));
        Result<Json> value = parse_json(file.content);
        if (!value) return value.error().in(path);
        return KeyValue{std::string{key.substr(1)}, *std::move(value)};
    }
    if (equals == std::string_view::npos) return KeyValue{std::string{key}, Json(1)};
    const std::string_view given = text.substr(equals + 1);
    Result<Json> value = parse_json(given);
    return KeyValue{std::string{key}, value ? *std::move(value) : Json(given)};
}

std::string attribute_path(std::string_view key) {
    if (key.starts_with('.')) return std::string{key.substr(1)};
    if (key.starts_with("attributes.")) return std::string{key.substr(11)};
    if (key.starts_with("system.") || key.starts_with("user.")) return std::string{key};
    return "system." + std::string{key};
}

}  // namespace sluice
