#include "base/config_path.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/toml.hpp"

namespace sluice {

namespace fs = std::filesystem;

Result<std::vector<std::string>> config_files(const std::string& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return std::vector{path};
    std::vector<std::string> files;
    for (fs::directory_iterator it{path, error}, end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".toml") files.push_back(it->path());
    if (error) return fail(error.value(), "{}: {}", path, error.message());
    std::ranges::sort(files);
    return files;
}

Result<std::string> read_text_file(const std::string& path) {
    errno = 0;
    std::ifstream file{path};
    std::ostringstream text;
    const bool empty = file && file.peek() == std::ifstream::traits_type::eof();
    if (!file || (!empty && !(text << file.rdbuf())))
        return fail(errno ? errno : EIO, "{}: {}", path, Error{errno ? errno : EIO}.text());
    return text.str();
}

void merge_tables(JsonObject& to, const JsonObject& from) {
    for (const auto& [key, value] : from) {
        Json* existing = to.if_contains(key);
        if (existing && existing->is_object() && value.is_object())
            merge_tables(existing->get_object(), value.get_object());
        else
            to[key] = value;
    }
}

Result<JsonObject> load_config_path(const std::string& path) {
    SLUICE_TRY(const auto files, config_files(path));
    JsonObject config;
    for (const std::string& file : files) {
        SLUICE_TRY(const std::string text, read_text_file(file));
        const bool json = file.ends_with(".json");
        const auto part = json ? parse_json_object(text) : parse_toml(text, file);
        if (!part) return json ? part.error().in(file) : part.error();
        merge_tables(config, *part);
    }
    return config;
}

}  // namespace sluice
