#include "cmd/options/conf.hpp"

#include <sys/stat.h>

#include <optional>

#include "base/config_path.hpp"
#include "base/toml.hpp"

namespace sluice {
namespace {

constexpr unsigned conf_permissions = 0600;

std::string variable(const EnvironmentList& environment, std::string_view name,
                     std::string fallback) {
    for (const auto& [known, value] : environment)
        if (known == name && !value.empty()) return value;
    return fallback;
}

/// Folders of named configurations, the user's first.
std::vector<std::string> named_folders(const EnvironmentList& environment) {
    const std::string home = variable(environment, "HOME", "");
    std::vector<std::string> folders = {
        variable(environment, "XDG_CONFIG_HOME", home + "/.config") + "/flux/config/"};
    const std::string system = variable(environment, "XDG_CONFIG_DIRS", "/etc/xdg");
    std::string_view rest = system;
    while (!rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        folders.push_back(std::string{rest.substr(0, colon)} + "/flux/config/");
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return folders;
}

Result<JsonObject> parse_content(const std::string& content, const std::string& path) {
    if (!path.ends_with(".json")) return parse_toml(content, path);
    Result<JsonObject> parsed = parse_json_object(content);
    if (!parsed) return parsed.error().in(path);
    return parsed;
}

Error in_option(const Error& error, std::string_view what) {
    return error.in(fmt::format("--conf{}", what));
}

Result<JsonObject> load_named(const std::string& name, const EnvironmentList& environment,
                              const FileLoader& load) {
    for (const std::string& folder : named_folders(environment)) {
        for (const char* extension : {".toml", ".json"}) {
            const std::string path = folder + name + extension;
            const Result<LoadedFile> file = load(path);
            if (!file) continue;
            Result<JsonObject> parsed = parse_content(file->content, path);
            if (!parsed) return in_option(parsed.error(), "=" + name);
            return parsed;
        }
    }
    return fail(ENOENT, "--conf: named config '{}' not found", name);
}

Result<JsonObject> parse_argument(const std::string& argument, const EnvironmentList& environment,
                                  const FileLoader& load) {
    if (argument.find('\n') != std::string::npos) {
        if (Result<JsonObject> json = parse_json_object(argument)) return json;
        Result<JsonObject> toml = parse_toml(argument, "inline text");
        if (!toml) return in_option(toml.error(), ": failed to parse multiline as TOML or JSON");
        return toml;
    }
    if (const std::size_t equals = argument.find('='); equals != std::string::npos) {
        const std::string value = argument.substr(equals + 1);
        const Result<Json> json = parse_json(value);
        JsonObject conf;
        set_path(conf, argument.substr(0, equals), json ? *json : Json(value));
        return conf;
    }
    if (argument.ends_with(".toml") || argument.ends_with(".json")) {
        const Result<LoadedFile> file = load(argument);
        if (!file) return in_option(file.error(), "");
        Result<JsonObject> parsed = parse_content(file->content, argument);
        if (!parsed) return in_option(parsed.error(), ": parse error");
        return parsed;
    }
    return load_named(argument, environment, load);
}

}  // namespace

Result<Json> build_conf(const std::vector<std::string>& arguments,
                        const EnvironmentList& environment, const FileLoader& load) {
    if (arguments.empty()) return Json(nullptr);
    JsonObject conf;
    for (const std::string& argument : arguments) {
        SLUICE_TRY(const JsonObject part, parse_argument(argument, environment, load));
        merge_tables(conf, part);
    }
    return Json(std::move(conf));
}

JsonObject conf_file(Json conf) {
    JsonObject entry;
    entry["mode"] = S_IFREG | conf_permissions;
    entry["data"] = std::move(conf);
    return entry;
}

}  // namespace sluice
