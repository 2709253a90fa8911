#include "cmd/R_parse_config.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/toml.hpp"
#include "resource/resource_config.hpp"

namespace sluice {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_file(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) return fail(ENOENT, "{}: cannot read", path.string());
    return text.str();
}

Result<std::vector<fs::path>> config_files(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return std::vector{path};
    std::vector<fs::path> files;
    for (fs::directory_iterator it{path, error}, end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".toml") files.push_back(it->path());
    if (error) return fail(error.value(), "{}: {}", path.string(), error.message());
    std::ranges::sort(files);
    return files;
}

/// Members of `from` win; tables are merged.
void merge(JsonObject& to, const JsonObject& from) {
    for (const auto& member : from) {
        Json& target = to[member.key()];
        if (target.is_object() && member.value().is_object()) {
            merge(target.get_object(), member.value().get_object());
        } else {
            target = member.value();
        }
    }
}

Result<ResourceSet> from_path(const JsonObject& resource) {
    JsonReader in{resource};
    const std::string path = in.string("path");
    if (!in) return in.error().in("resource");
    SLUICE_TRY(const std::string text, read_file(path));
    auto set = ResourceSet::parse(text);
    if (!set) return set.error().in(path);
    return set;
}

}  // namespace

Result<ResourceSet> configured_resources(const std::string& path) {
    SLUICE_TRY(const auto files, config_files(path));
    JsonObject config;
    for (const fs::path& file : files) {
        SLUICE_TRY(const std::string text, read_file(file));
        SLUICE_TRY(const JsonObject part, parse_toml(text, file.string()));
        merge(config, part);
    }
    JsonReader in{config};
    const JsonObject* resource = in.maybe_object("resource");
    if (!in) return in.error();
    if (resource && resource->contains("config")) {
        JsonReader table{*resource};
        const JsonArray& entries = table.array("config");
        if (!table) return table.error().in("resource");
        return resource_set_of_entries(entries);
    }
    if (resource && resource->contains("path")) return from_path(*resource);
    return fail(EINVAL, "resource.config or resource.path must be defined");
}

}  // namespace sluice
