// The user's format files: flux-TOOL.{toml,yaml,json} of the XDG configuration folders.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/toml.hpp"
#include "base/words.hpp"
#include "cmd/format/named_formats.hpp"
#include "cmd/format/output_format.hpp"
#include "cmd/format/yaml.hpp"

namespace sluice {

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name, const std::string& fallback) {
    const char* value = std::getenv(name);
    return value && *value ? value : fallback;
}

/// Least important first.
std::vector<fs::path> config_folders() {
    std::vector<fs::path> folders;
    for (const std::string& folder : split_words(environment("XDG_CONFIG_DIRS", "/etc/xdg"), ':'))
        folders.insert(folders.begin(), fs::path(folder) / "flux");
    const std::string home = environment("HOME", "/");
    folders.push_back(fs::path(environment("XDG_CONFIG_HOME", home + "/.config")) / "flux");
    return folders;
}

std::vector<fs::path> format_files(const std::string& stem) {
    std::vector<fs::path> files;
    for (const fs::path& folder : config_folders()) {
        std::vector<fs::path> found;
        std::error_code none;
        for (const auto& entry : fs::directory_iterator(folder, none)) {
            const fs::path extension = entry.path().extension();
            if (entry.path().stem() == stem &&
                (extension == ".toml" || extension == ".yaml" || extension == ".json"))
                found.push_back(entry.path());
        }
        std::sort(found.begin(), found.end());
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

Result<JsonObject> read_format_file(const fs::path& path) {
    std::ifstream in(path);
    if (!in) return Error{EACCES};
    std::ostringstream text;
    text << in.rdbuf();
    if (path.extension() == ".toml") return parse_toml(text.str(), path.string());
    if (path.extension() == ".yaml") return parse_yaml(text.str());
    return parse_json_object(text.str());
}

}  // namespace

Result<FormatChoice> choose_user_format(FormatCatalog catalog, std::string_view wanted) {
    const std::size_t builtin_count = catalog.formats.size();
    for (const fs::path& path : format_files(catalog.file)) {
        const auto file = read_format_file(path);
        if (!file)
            return path.extension() == ".toml" ? file.error() : file.error().in(path.string());
        SLUICE_CHECK(add_user_formats(catalog, builtin_count, *file, path.string()));
    }
    std::optional<std::string> replacement;
    if (const char* value = std::getenv(catalog.environment.c_str())) replacement = value;
    return choose_format(catalog, wanted, replacement);
}

}  // namespace sluice
