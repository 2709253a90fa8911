#include "broker/config/config_files.hpp"

#include "base/config_path.hpp"
#include "base/toml.hpp"
#include "broker/config/tables.hpp"

namespace sluice {
namespace {

/// A configuration being put together; later values win, tables are merged.
class Builder {
  public:
    Result<void> add_path(const std::string& path) {
        SLUICE_TRY(const auto files, config_files(path));
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
        SLUICE_TRY(const std::string text, read_text_file(path));
        return path.ends_with(".json") ? add_json(text, path) : add_toml(text, path);
    }

    Result<void> add_json(const std::string& text, const std::string& name) {
        Result<JsonObject> object = parse_json_object(text);
        if (!object) return object.error().in(name);
        merge_tables(root_, *object);
        return {};
    }

    Result<void> add_toml(const std::string& text, const std::string& name) {
        SLUICE_TRY(TomlDocument document, parse_toml_document(text, name));
        merge_tables(root_, document.root);
        for (auto& [key, place] : document.places) places_[key] = std::move(place);
        return {};
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
