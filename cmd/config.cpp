// flux config: the configuration of the running instance, and the values built into the program.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/config_path.hpp"
#include "base/rfc/fsd.hpp"
#include "base/toml.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"

namespace sluice {
namespace {

int report(const std::string& text) {
    fmt::print(stderr, "flux-config: {}\n", text);
    return 1;
}

Result<JsonObject> parse_document(const std::string& text, const std::string& name) {
    if (auto json = parse_json_object(text)) return json;
    return parse_toml(text, name);
}

/// A file in either language, or all *.toml of a folder in the order of their names.
Result<JsonObject> load_path(const std::string& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return load_config_path(path);
    SLUICE_TRY(const std::string text, read_text_file(path));
    return parse_document(text, path);
}

struct GetOptions {
    std::optional<std::string> fallback, path;
    bool quiet = false;
    std::string type = "any", name;
};

bool has_type(const Json& value, const std::string& type) {
    if (type == "any") return true;
    if (type == "string") return value.is_string();
    if (type == "integer") return as_integer(value).has_value();
    if (type == "real") return value.is_double();
    if (type == "boolean") return value.is_bool();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    return type.starts_with("fsd") && value.is_string();
}

bool known_type(const std::string& type) {
    for (const char* known : {"any", "string", "integer", "real", "boolean", "object", "array",
                              "fsd", "fsd-integer", "fsd-real"})
        if (type == known) return true;
    return false;
}

Result<std::string> show_value(const Json& value, const GetOptions& options) {
    if (!has_type(value, options.type))
        return fail(EINVAL, "{} does not have the requested type", options.name);
    if (options.type.starts_with("fsd")) {
        const std::string text{value.as_string()};
        const auto seconds = fsd_parse(text);
        if (!seconds)
            return fail(EINVAL, "{} does not have the requested type: '{}' is no FSD", options.name,
                        text);
        if (options.type == "fsd-integer")
            return fmt::format("{}", static_cast<std::int64_t>(*seconds));
        if (options.type == "fsd-real") return dump_real(*seconds);
        return text;
    }
    return value.is_string() ? std::string{value.as_string()} : dump_json(value);
}

Result<JsonObject> config_to_read(const GetOptions& options) {
    if (options.path) {
        const std::string& path = *options.path;
        if (path == "system") return load_path("/etc/flux/system/conf.d");
        if (path == "security") return load_path("/etc/flux/security/conf.d");
        if (path == "imp") return load_path("/etc/flux/imp/conf.d");
        return load_path(path);
    }
    SLUICE_TRY(Handle flux, Handle::open());
    return flux.call("config.get");
}

Result<std::string> get_value(const GetOptions& options) {
    SLUICE_TRY(const JsonObject config, config_to_read(options));
    if (options.name.empty()) return dump_json(config);
    if (const Json* value = find_path(config, options.name)) return show_value(*value, options);
    if (!options.fallback) return fail(ENOENT, "{} is not set", options.name);
    if (!options.type.starts_with("fsd")) return *options.fallback;
    return show_value(Json(*options.fallback), options);
}

int cmd_config_get(int argc, char** argv) {
    GetOptions options;
    Cli cli("flux-config get", CliStyle::c_tool, "[OPTIONS] [NAME]",
            "Query broker configuration values: all, or one.");
    cli.option("-d,--default=VALUE", options.fallback, "Print VALUE when NAME is not set");
    cli.flag("-q,--quiet", options.quiet, "No message when NAME is not set");
    cli.option("-t,--type=TYPE", options.type,
               "any, string, integer, real, boolean, object, array, fsd, fsd-integer, fsd-real");
    cli.option("-c,--config-path=PATH", options.path,
               "Read PATH (system, security, imp) instead of the instance");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one name");
    if (!known_type(options.type)) return report("Unknown type: " + options.type);
    if (!cli.words().empty()) options.name = cli.words()[0];
    const auto value = get_value(options);
    if (!value) {
        if (!(options.quiet && value.error().errnum() == ENOENT)) report(value.error().text());
        return 1;
    }
    fmt::print("{}\n", *value);
    return 0;
}

Result<Json> typed_value(const std::string& text, const std::string& type) {
    if (type.starts_with("fsd")) {
        SLUICE_CHECK(fsd_parse(text));
        return Json(text);
    }
    if (type == "string" && !text.starts_with('"')) return Json(text);
    auto value = parse_json(text);
    if (!value || !has_type(*value, type))
        return fail(EINVAL, "'{}' does not have type {}", text, type);
    return value;
}

std::string type_of(const Json& value) {
    for (const char* type : {"string", "integer", "real", "boolean", "object", "array"})
        if (has_type(value, type)) return type;
    return "any";
}

Result<void> set_value(const std::string& name, const std::string& text, std::string type) {
    SLUICE_TRY(Handle flux, Handle::open());
    SLUICE_TRY(JsonObject config, flux.call("config.get"));
    if (type.empty()) {
        const Json* old = find_path(config, name);
        if (!old) return fail(EINVAL, "Type is unknown, please specify --type");
        type = type_of(*old);
    }
    SLUICE_TRY(Json value, typed_value(text, type));
    set_path(config, name, std::move(value));
    SLUICE_TRY(const JsonObject reply, flux.call("config.load", config));
    return {};
}

int cmd_config_set(int argc, char** argv) {
    std::string type;
    Cli cli("flux-config set", CliStyle::c_tool, "[OPTIONS] NAME VALUE",
            "Set one value in the configuration of the instance.");
    cli.option("-t,--type=TYPE", type, "Type of the value, when NAME is not set yet");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("give a name and a value");
    if (!type.empty() && !known_type(type)) return report("Unknown type: " + type);
    const auto done = set_value(cli.words()[0], cli.words()[1], type);
    return done ? 0 : report(done.error().text());
}

/// Removes the member at a dotted path; false when there is none.
bool erase_path(JsonObject& object, std::string_view name) {
    const std::size_t dot = name.find('.');
    const auto found = object.find(name.substr(0, dot));
    if (found == object.end()) return false;
    if (dot == std::string_view::npos) return object.erase(found), true;
    return found->value().is_object() &&
           erase_path(found->value().as_object(), name.substr(dot + 1));
}

Result<void> unset_value(const std::string& name) {
    SLUICE_TRY(Handle flux, Handle::open());
    SLUICE_TRY(JsonObject config, flux.call("config.get"));
    if (!erase_path(config, name)) return {};
    SLUICE_TRY(const JsonObject reply, flux.call("config.load", config));
    return {};
}

int cmd_config_unset(int argc, char** argv) {
    Cli cli("flux-config unset", CliStyle::c_tool, "NAME",
            "Remove one value from the configuration of the instance.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one name");
    const auto done = unset_value(cli.words()[0]);
    return done ? 0 : report(done.error().text());
}

Result<void> load_config(const std::vector<std::string>& words) {
    SLUICE_TRY(const JsonObject config,
               words.empty() ? parse_document(read_stdin(), "stdin") : load_path(words[0]));
    SLUICE_TRY(Handle flux, Handle::open());
    SLUICE_TRY(const JsonObject reply, flux.call("config.load", config));
    return {};
}

int cmd_config_load(int argc, char** argv) {
    Cli cli("flux-config load", CliStyle::c_tool, "[PATH]",
            "Replace the configuration by that of a file or folder, or of standard input.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one path");
    const auto done = load_config(cli.words());
    return done ? 0 : report(done.error().text());
}

int cmd_config_reload(int argc, char** argv) {
    bool follower_noop = false;
    Cli cli("flux-config reload", CliStyle::c_tool, "[OPTIONS]",
            "Read the configuration files of the instance again.");
    cli.flag("--follower-noop", follower_noop, "Succeed on ranks above 0, which follow rank 0");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_builtin();
    if (!flux) return 1;
    if (follower_noop)
        if (const auto rank = flux->rank(); rank && *rank > 0) return 0;
    const auto reply = flux->call("config.reload");
    return reply ? 0 : report("reload: " + reply.error().text());
}

int cmd_config_builtin(int argc, char** argv) {
    bool intree = false, installed = false;
    Cli cli("flux-config builtin", CliStyle::c_tool, "NAME",
            "Print a value that is built into the programs.");
    cli.flag("--intree", intree, "");
    cli.flag("--installed", installed, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one name");
    const std::string& name = cli.words()[0];
    auto flux = open_builtin();
    if (!flux) return 1;
    JsonArray keys;
    keys.emplace_back(name);
    const auto reply = flux->call("broker.conf-builtin", {{"keys", std::move(keys)}});
    if (!reply) return report(reply.error().text());
    JsonReader in{*reply};
    JsonReader values{in.object("values")};
    fmt::print("{}\n", values.string_or(name, ""));
    return 0;
}

constexpr Command commands[] = {
    {"get", cmd_config_get, "Print the configuration"},
    {"set", cmd_config_set, "Set one value"},
    {"unset", cmd_config_unset, "Remove one value"},
    {"load", cmd_config_load, "Replace the configuration"},
    {"reload", cmd_config_reload, "Read the configuration files again"},
    {"builtin", cmd_config_builtin, "Print a built-in value"},
};

}  // namespace

int cmd_config(int argc, char** argv) {
    return run_subcommand("flux-config", commands, argc, argv);
}

}  // namespace sluice
