// flux jobtap: the plugins of the job manager. Ours are built in; the broker says so to whoever
// wants to load another or to remove one.
#include <fmt/format.h>

#include "base/json.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

int change(const Cli& cli, const JsonObject& request, const std::string& plugin) {
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = flux->call("job-manager.jobtap", request);
    if (done) return 0;
    if (done.error().errnum() == ENOENT) return cli.error(plugin + " not found");
    return cli.error(done.error().text());
}

/// KEY=VALUE words; a dotted KEY makes tables, a VALUE that is JSON is taken as such.
Result<JsonObject> plugin_config(const std::vector<std::string>& words) {
    JsonObject config;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return fail(EINVAL, "{}: want KEY=VALUE", word);
        const std::string text = word.substr(equals + 1);
        const auto value = parse_json(text);
        set_path(config, word.substr(0, equals), value ? *value : Json(text));
    }
    return config;
}

int cmd_load(int argc, char** argv) {
    Cli cli{"flux-jobtap load", style, "[-h] [-r NAME] PLUGIN [KEY=VALUE...]", "Load a plugin."};
    std::string remove;
    cli.option("-r,--remove=NAME", remove, "remove plugin NAME first");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty())
        return cli.usage_error("the following arguments are required: plugin");
    const auto config = plugin_config({cli.words().begin() + 1, cli.words().end()});
    if (!config) return cli.usage_error(config.error().text());
    JsonObject request{{"load", cli.words()[0]}};
    if (!config->empty()) request["conf"] = *config;
    if (!remove.empty()) request["remove"] = remove;
    return change(cli, request, cli.words()[0]);
}

int cmd_remove(int argc, char** argv) {
    Cli cli{"flux-jobtap remove", style, "[-h] PLUGIN", "Remove a plugin."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: plugin");
    return change(cli, {{"remove", cli.words()[0]}}, cli.words()[0]);
}

int cmd_list(int argc, char** argv) {
    Cli cli{"flux-jobtap list", style, "[-h] [-a]", "List plugins."};
    bool all = false;
    cli.flag("-a,--all", all, "the built-in ones too");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto reply = flux->call("job-manager.jobtap", {{"query_only", true}});
    if (!reply) return cli.error(reply.error().text());
    JsonReader in{*reply};
    for (const Json& plugin : in.array("plugins")) {
        if (!plugin.is_string()) continue;
        const std::string_view name = plugin.as_string();
        if (all || !name.starts_with('.')) write_stdout(fmt::format("{}\n", name));
    }
    return in ? 0 : cli.error(in.error().text());
}

int cmd_query(int argc, char** argv) {
    Cli cli{"flux-jobtap query", style, "[-h] PLUGIN", "Show what a plugin tells of itself."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: plugin");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto reply = flux->call("job-manager.jobtap-query", {{"name", cli.words()[0]}});
    if (!reply) return cli.error(reply.error().text());
    write_stdout(dump_json(*reply) + "\n");
    return 0;
}

constexpr Command commands[] = {
    {"load", cmd_load, "Load a plugin"},
    {"remove", cmd_remove, "Remove a plugin"},
    {"list", cmd_list, "List plugins"},
    {"query", cmd_query, "Show what a plugin tells of itself"},
};

}  // namespace

int cmd_jobtap(int argc, char** argv) {
    return run_subcommand("flux-jobtap", commands, argc, argv);
}

}  // namespace sluice
