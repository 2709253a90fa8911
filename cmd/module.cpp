// flux module: list, load and remove the broker's modules, their statistics and debug flags.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/trace.hpp"

namespace sluice {
namespace {

int report(const std::string& text) {
    fmt::print(stderr, "flux-module: {}\n", text);
    return 1;
}

int cmd_module_list(int argc, char** argv) {
    bool long_form = false;
    Cli cli("flux-module list", CliStyle::c_tool, "[OPTIONS]", "List loaded modules.");
    cli.flag("-l,--long", long_form, "Show the paths too");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const auto reply = flux->call("module.list");
    if (!reply) return report("list: " + reply.error().text());
    fmt::print("{:<25} {:>4}  {} {} {} {}{}\n", "Module", "Idle", 'S', "Sendq", "Recvq", "Service",
               long_form ? " Path" : "");
    JsonReader in{*reply};
    for (const Json& item : in.array("mods")) {
        if (!item.is_object()) continue;
        JsonReader module{item.as_object()};
        constexpr std::string_view states = "IRFX";
        const std::string name = module.string("name"), path = module.string("path");
        const auto idle = module.integer("idle"), status = module.integer("status");
        const auto sent = module.integer("sendqueue"), received = module.integer("recvqueue");
        std::string services;
        for (const Json& service : module.array("services"))
            if (service.is_string() && std::string_view{service.as_string()} != name)
                services += (services.empty() ? "" : ",") + std::string{service.as_string()};
        if (!module) return report("list: " + module.error().text());
        const char state =
            status >= 0 && status < 4 ? states[static_cast<std::size_t>(status)] : '?';
        std::string line = fmt::format("{:<25} {:>4}  {} {:>5} {:>5} {}{}{}", name,
                                       idle ? std::to_string(idle) : "idle", state, sent, received,
                                       services, long_form ? " " : "", long_form ? path : "");
        while (line.ends_with(' ')) line.pop_back();
        fmt::print("{}\n", line);
    }
    return in ? 0 : report("list: " + in.error().text());
}

Result<void> load(Handle& flux, const std::string& path, const std::string& name,
                  const std::vector<std::string>& args, bool exec) {
    JsonObject request{
        {"path", path}, {"args", JsonArray(args.begin(), args.end())}, {"exec", exec}};
    if (!name.empty()) request["name"] = name;
    const auto reply = flux.call("module.load", request);
    if (!reply) return fail(reply.error().errnum(), "load {}: {}", path, reply.error().text());
    return {};
}

Result<void> remove(Handle& flux, const std::string& name, bool cancel) {
    const auto reply = flux.call("module.remove", {{"name", name}, {"cancel", cancel}});
    if (!reply) return fail(reply.error().errnum(), "remove {}: {}", name, reply.error().text());
    return {};
}

int cmd_module_load(int argc, char** argv) {
    std::string name, loader;
    bool exec = false;
    Cli cli("flux-module load", CliStyle::c_tool, "[OPTIONS] MODULE [ARGS...]", "Load a module.");
    cli.option("--name=NAME", name, "Name of the module, if not that of its file");
    cli.option("--loader=PATH", loader, "");
    cli.flag("--exec", exec, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give a module");
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const std::vector<std::string> args(cli.words().begin() + 1, cli.words().end());
    const auto done = load(*flux, cli.words()[0], name, args, exec);
    return done ? 0 : report(done.error().text());
}

int cmd_module_remove(int argc, char** argv) {
    bool force = false, cancel = false;
    Cli cli("flux-module remove", CliStyle::c_tool, "[OPTIONS] MODULE", "Remove a module.");
    cli.flag("-f,--force", force, "Succeed when it is not loaded");
    cli.flag("--cancel", cancel, "Stop it although it does not answer");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one module");
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const auto done = remove(*flux, cli.words()[0], cancel);
    if (done || (force && done.error().errnum() == ENOENT)) return 0;
    return report(done.error().text());
}

int cmd_module_reload(int argc, char** argv) {
    std::string name;
    bool force = false, cancel = false;
    Cli cli("flux-module reload", CliStyle::c_tool, "[OPTIONS] MODULE [ARGS...]",
            "Remove a module and load it again.");
    cli.option("--name=NAME", name, "Name of the module, if not that of its file");
    cli.flag("-f,--force", force, "Load it although it was not loaded");
    cli.flag("--cancel", cancel, "Stop it although it does not answer");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give a module");
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const std::string& path = cli.words()[0];
    const auto removed = remove(*flux, name.empty() ? path : name, cancel);
    if (!removed && !(force && removed.error().errnum() == ENOENT))
        return report(removed.error().text());
    const std::vector<std::string> args(cli.words().begin() + 1, cli.words().end());
    const auto loaded = load(*flux, path, name, args, false);
    return loaded ? 0 : report(loaded.error().text());
}

struct StatsOptions {
    std::string parse, type;
    double scale = 1.0;
    std::optional<std::string> rusage;
    bool clear = false, clear_all = false;
};

Result<void> print_stats(Handle& flux, const std::string& name, const StatsOptions& options) {
    if (options.clear) {
        SLUICE_TRY(const JsonObject reply, flux.call(name + ".stats-clear"));
        return {};
    }
    if (options.clear_all) {
        Message event = Message::event(name + ".stats-clear");
        event.flags |= message_flag::route;
        flux.send_message(event);
        return flux.flush() ? Result<void>{} : Result<void>{Error{ECONNRESET}};
    }
    JsonObject request;
    if (options.rusage && !options.rusage->empty()) request["who"] = *options.rusage;
    SLUICE_TRY(const JsonObject stats,
               flux.call(name + (options.rusage ? ".rusage" : ".stats-get"), request));
    if (options.parse.empty()) {
        fmt::print("{}\n", dump_json_pretty(Json(stats), 1));
        return {};
    }
    const Json* value = find_path(stats, options.parse);
    if (!value) return fail(ENOENT, "`{}' not found in response", options.parse);
    const auto number = as_number(*value);
    if (!number) {
        fmt::print("{}\n", dump_json(*value));
    } else if (options.type == "int" || (options.type.empty() && !value->is_double())) {
        fmt::print("{}\n", static_cast<std::int64_t>(*number * options.scale));
    } else {
        fmt::print("{:f}\n", *number * options.scale);
    }
    return {};
}

int cmd_module_stats(int argc, char** argv) {
    StatsOptions options;
    std::string scale;
    Cli cli("flux-module stats", CliStyle::c_tool, "[OPTIONS] MODULE", "Show statistics.");
    cli.option("-p,--parse=PATH", options.parse, "Show one value");
    cli.option("-t,--type=int|double", options.type, "How to show it (as it is)");
    cli.option("-s,--scale=N", scale, "Multiply it by N");
    cli.option(
        "-R,--rusage[=WHO]",
        [&](std::optional<std::string> who) {
            options.rusage = who.value_or("");
            return Result<void>{};
        },
        "Resource usage of self, children or thread");
    cli.flag("-c,--clear", options.clear, "Clear the statistics");
    cli.flag("-C,--clear-all", options.clear_all, "Clear them on all ranks");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one module");
    if (!scale.empty()) options.scale = std::strtod(scale.c_str(), nullptr);
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const auto done = print_stats(*flux, cli.words()[0], options);
    return done ? 0 : report(fmt::format("stats {}: {}", cli.words()[0], done.error().text()));
}

int cmd_module_debug(int argc, char** argv) {
    std::string set, set_bit, clear_bit;
    bool clear = false;
    Cli cli("flux-module debug", CliStyle::c_tool, "[OPTIONS] MODULE",
            "Show or change debug flags.");
    cli.flag("-C,--clear", clear, "Clear all flags");
    cli.option("-S,--set=MASK", set, "Set the flags to MASK");
    cli.option("-s,--setbit=MASK", set_bit, "Set flags");
    cli.option("-c,--clearbit=MASK", clear_bit, "Clear flags");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one module");
    std::string op = "setbit", mask = "0";
    if (clear)
        op = "clr";
    else if (!set.empty())
        op = "set", mask = set;
    else if (!set_bit.empty())
        mask = set_bit;
    else if (!clear_bit.empty())
        op = "clrbit", mask = clear_bit;
    auto flux = open_tool("flux-module");
    if (!flux) return 1;
    const auto reply = flux->call(cli.words()[0] + ".debug",
                                  {{"op", op}, {"flags", std::strtoll(mask.c_str(), nullptr, 0)}});
    if (!reply) return report(fmt::format("debug {}: {}", cli.words()[0], reply.error().text()));
    JsonReader in{*reply};
    fmt::print("{:#x}\n", in.integer_or("flags", 0));
    return 0;
}

constexpr Command commands[] = {
    {"list", cmd_module_list, "List loaded modules"},
    {"load", cmd_module_load, "Load a module"},
    {"reload", cmd_module_reload, "Remove a module and load it again"},
    {"remove", cmd_module_remove, "Remove a module"},
    {"unload", cmd_module_remove, ""},
    {"stats", cmd_module_stats, "Show statistics of a module"},
    {"debug", cmd_module_debug, "Show or change debug flags of a module"},
    {"trace", cmd_module_trace, "Show the messages of modules"},
};

}  // namespace

int cmd_module(int argc, char** argv) {
    return run_subcommand("flux-module", commands, argc, argv);
}

}  // namespace sluice
