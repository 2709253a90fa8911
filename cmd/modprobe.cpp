// flux modprobe: modules and what they need. The services of this broker are built in and start
// together, so that none has to wait for another to be loaded.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

struct Module {
    std::string name, path;
    std::vector<std::string> services;
};

Result<std::vector<Module>> load_modules(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("module.list"));
    JsonReader in{reply};
    std::vector<Module> modules;
    for (const Json& item : in.array("mods")) {
        if (!item.is_object()) return fail(EPROTO, "module.list: bad entry");
        JsonReader of{item.get_object()};
        Module module{.name = of.string("name"), .path = of.string_or("path", ""), .services = {}};
        for (const Json& service : of.array("services"))
            if (service.is_string()) module.services.emplace_back(service.get_string());
        if (!of) return of.error();
        modules.push_back(std::move(module));
    }
    if (!in) return in.error();
    return modules;
}

Result<Module> find_module(Handle& flux, const std::string& name) {
    SLUICE_TRY(const std::vector<Module> modules, load_modules(flux));
    for (const Module& module : modules)
        if (module.name == name || std::ranges::count(module.services, name)) return module;
    return fail(ENOENT, "{}: no such module; see flux module list", name);
}

/// load and remove: the request for each module that is not as wanted.
int change(int argc, char** argv, bool load) {
    const std::string verb = load ? "load" : "remove";
    Cli cli("flux-modprobe " + verb, style, "[-h] [--dry-run] MODULE...",
            load ? "Load modules that are not loaded." : "Remove modules.");
    bool dry_run = false;
    cli.flag("--dry-run", dry_run, "only print what would be done");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty())
        return cli.usage_error("the following arguments are required: MODULE");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    for (const std::string& name : cli.words()) {
        if (load && find_module(*flux, name)) continue;
        if (dry_run) {
            fmt::print("{} {}\n", verb, name);
            continue;
        }
        JsonObject request;
        if (load) request = {{"path", name}, {"args", JsonArray{}}};
        else request = {{"name", name}, {"cancel", false}};
        const auto done = flux->call("module." + verb, request);
        if (!done) return cli.error(fmt::format("{} {}: {}", verb, name, done.error().text()));
    }
    return 0;
}

int cmd_modprobe_load(int argc, char** argv) { return change(argc, argv, true); }
int cmd_modprobe_remove(int argc, char** argv) { return change(argc, argv, false); }

/// What show and list-dependencies have in common.
int about(int argc, char** argv, const char* name, bool dependencies) {
    Cli cli(name, style, "[-h] [-S NAME=MODULE] [-D NAME] MODULE",
            dependencies ? "List what a module needs." : "Show a module.");
    std::vector<std::string> alternatives, disabled;
    bool full = false;
    cli.option("-S,--set-alternative=NAME=MODULE", alternatives,
               "another module for a service (those here are built in)");
    cli.option("-D,--disable=NAME", disabled, "without this module");
    if (dependencies) cli.flag("-f,--full", full, "also what has been listed already");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: MODULE");
    if (!alternatives.empty() || !disabled.empty())
        return cli.error("the services are built in: there are no alternatives to choose");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto module = find_module(*flux, cli.words()[0]);
    if (!module) return cli.error(module.error().text());
    if (dependencies)
        fmt::print("{}\n", module->name);
    else
        fmt::print("name = \"{}\"\npath = \"{}\"\nprovides = [{}]\nrequires = []\n",
                   module->name, module->path, fmt::join(module->services, ", "));
    return 0;
}

int cmd_modprobe_show(int argc, char** argv) {
    return about(argc, argv, "flux-modprobe show", false);
}
int cmd_modprobe_list_dependencies(int argc, char** argv) {
    return about(argc, argv, "flux-modprobe list-dependencies", true);
}

/// rc1 and rc3: all that they would do has been done, or will be, by the broker itself.
int run_rc(int argc, char** argv, const char* name, const char* summary) {
    Cli cli(name, style, "[-h] [--timing] [--show-deps] [-v] [--dry-run]", summary);
    bool timing = false, dependencies = false, verbose = false, dry_run = false;
    cli.flag("--timing", timing, "take times (there is nothing to time)");
    cli.flag("--show-deps", dependencies, "print the modules, each with what it needs");
    cli.flag("-v,--verbose", verbose, "name the modules");
    cli.flag("--dry-run", dry_run, "change nothing");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto modules = load_modules(*flux);
    if (!modules) return cli.error(modules.error().text());
    for (const Module& module : *modules)
        if (dependencies || verbose)
            fmt::print("{}: {}\n", module.name, dependencies ? "[]" : "built in");
    return 0;
}

int cmd_modprobe_rc1(int argc, char** argv) {
    return run_rc(argc, argv, "flux-modprobe rc1", "Load all modules (the broker has).");
}
int cmd_modprobe_rc3(int argc, char** argv) {
    return run_rc(argc, argv, "flux-modprobe rc3", "Remove all modules (the broker will).");
}

int cmd_modprobe_run(int argc, char** argv) {
    Cli cli("flux-modprobe run", style, "[-h] FILE", "Run a Python rc file (refused).");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1)
        return cli.usage_error("the following arguments are required: FILE");
    return cli.error(cli.words()[0] +
                     ": rc files in Python cannot be run, there is no interpreter; use a script "
                     "in rc1.d or broker.rc1_path");
}

}  // namespace

int cmd_modprobe(int argc, char** argv) {
    static constexpr Command table[] = {
        {"load", cmd_modprobe_load, "Load modules that are not loaded"},
        {"remove", cmd_modprobe_remove, "Remove modules"},
        {"run", cmd_modprobe_run, "Run a Python rc file (refused)"},
        {"rc1", cmd_modprobe_rc1, "Load all modules"},
        {"rc3", cmd_modprobe_rc3, "Remove all modules"},
        {"show", cmd_modprobe_show, "Show a module"},
        {"list-dependencies", cmd_modprobe_list_dependencies, "List what a module needs"},
    };
    const int code = run_subcommand("flux-modprobe", table, argc, argv);
    const bool known = argc > 1 && find_command(table, argv[1]);
    return !known && code == 1 ? 2 : code;  // misuse of tools of this kind
}

}  // namespace sluice
