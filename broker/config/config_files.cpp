#include "broker/config/config_files.hpp"

#include <string.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/toml.hpp"
#include "broker/config/tables.hpp"

namespace sluice {
namespace {

/// A configuration being put together; later values win, tables are merged.
class Builder {
  public:
    Result<void> add_path(const std::string& path) {
        std::error_code error;
        if (!std::filesystem::is_directory(path, error)) return add_file(path);
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(path, error))
            if (entry.path().extension() == ".toml") files.push_back(entry.path());
        if (error) return fail(error.value(), "{}: {}", path, error.message());
        std::ranges::sort(files);
        for (const std::string& file : files) SLUICE_CHECK(add_file(file));
        return {};
    }

    Result<void> add_value(const std::string& value) {
        if (value.starts_with('{')) return add_json(value, "--conf");
        const bool one_line = value.find('\n') == std::string::npos;
        if (!one_line) return add_toml(value, "--conf");
        const std::size_t equals = value.find('=');
        if (equals == std::string::npos) return add_file(value);
        const std::string text = value.substr(equals + 1);
        const Result<Json> parsed = parse_json(text);
        set_path(root_, value.substr(0, equals), parsed ? *parsed : Json(text));
        return {};
    }

    Result<JsonObject> finish() {
        const Result<void> checked = check_config_tables(root_);
        if (checked) return std::move(root_);
        return fail(checked.error().errnum(), "{}{}", place_of(checked.error().text()),
                    checked.error().text());
    }

  private:
    Result<void> add_file(const std::string& path) {
        errno = 0;
        std::ifstream file(path);
        std::ostringstream text;
        if (!file || !(text << file.rdbuf()))
            return fail(errno ? errno : EINVAL, "{}: {}", path,
                        errno ? ::strerror(errno) : "empty or not a file");
        if (path.ends_with(".json")) return add_json(text.str(), path);
        return add_toml(text.str(), path);
    }

    Result<void> add_json(const std::string& text, const std::string& name) {
        Result<JsonObject> object = parse_json_object(text);
        if (!object) return object.error().in(name);
        merge(root_, *object);
        return {};
    }

    Result<void> add_toml(const std::string& text, const std::string& name) {
        SLUICE_TRY(TomlDocument document, parse_toml_document(text, name));
        merge(root_, document.root);
        for (auto& [key, place] : document.places) places_[key] = std::move(place);
        return {};
    }

    static void merge(JsonObject& into, const JsonObject& from) {
        for (const auto& [key, value] : from) {
            Json* old = into.if_contains(key);
            if (old && old->is_object() && value.is_object())
                merge(old->get_object(), value.get_object());
            else
                into[key] = value;
        }
    }

    /// "file:line:column: " of the key that a fault begins with, or of the table around it.
    std::string place_of(std::string_view fault) const {
        std::string key{fault.substr(0, fault.find_first_of(": "))};
        while (!key.empty()) {
            if (const auto found = places_.find(key); found != places_.end())
                return found->second + ": ";
            const std::size_t end = key.find_last_of(".[");
            key.resize(end == std::string::npos ? 0 : end);
        }
        return {};
    }

    JsonObject root_;
    TomlPlaces places_;
};

}  // namespace

Result<JsonObject> load_config(const ConfigSources& sources) {
    Builder builder;
    if (sources.path) SLUICE_CHECK(builder.add_path(*sources.path));
    for (const std::string& value : sources.extra) SLUICE_CHECK(builder.add_value(value));
    return builder.finish();
}

}  // namespace sluice
