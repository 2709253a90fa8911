// flux resource status, drain and undrain: the administrator's view, and changing it.
#include <fmt/format.h>

#include <cstdio>

#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/resource/commands.hpp"
#include "cmd/resource/node_status.hpp"
#include "cmd/table_output.hpp"

namespace sluice {
namespace {

constexpr CliStyle style = CliStyle::python_tool;

FormatCatalog status_formats() {
    const std::string head =
        "{state:>12} {color_up}{up:>2}{color_off} {nnodes:>6} ";
    return {"flux-resource status", "flux-resource", "status",
            "FLUX_RESOURCE_STATUS_FORMAT_DEFAULT",
            {{"default", "Default flux-resource status format string", head + "{nodelist}"},
             {"long", "Long flux-resource status format string",
              head + "+:{reason:<30.30+} {nodelist}"}}};
}

FormatCatalog drain_formats() {
    return {"flux-resource drain", "flux-resource", "drain", "FLUX_RESOURCE_DRAIN_FORMAT_DEFAULT",
            {{"long", "Long flux-resource drain format string",
              "{timestamp!d:%b%d %R::<12} {state:<8.8} {ranks:<8.8+} {reason:<30.30+} {nodelist}"},
             {"default", "Default flux-resource drain format string",
              "{timestamp!d:%b%d %R::<12} {state:<8.8} {reason:<30.30+} {nodelist}"}}};
}

struct ListOptions {
    RankFilter filter;
    TableOutput table;
    bool skip_empty = false;
    std::vector<std::string> states;
    ColorWhen color = ColorWhen::automatic;

    void declare(Cli& cli) {
        table.declare(cli);
        cli.option("-L,--color[=WHEN]", color_into(color),
                   "color the output: never, always or auto");
        filter.declare(cli);
    }
};

int show(const Cli& cli, ListOptions& options, const FormatCatalog& catalog,
         LineOptions lines_wanted) {
    if (const auto code = options.table.choose(cli, catalog, status_heading)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto status = load_node_status(*flux, options.filter);
    if (!status) return cli.error(status.error().text());
    lines_wanted.colour = use_color(options.color);
    options.table.print(status_lines(*status, options.table.format(), lines_wanted), status_field);
    return 0;
}

/// "[Errno 17] rank 1 already drained", as the reference prints what the broker refused.
int refused(const Cli& cli, const Error& error) {
    const int code = cli.error(fmt::format("[Errno {}] {}", error.errnum(), error.text()));
    if (error.errnum() == EEXIST)
        fmt::print(stderr, "flux-resource: INFO: Use --force to overwrite existing drain reason\n");
    return code;
}

/// TARGETS [REASON...] as a request.
JsonObject drain_request(const std::vector<std::string>& words) {
    JsonObject request;
    request["targets"] = words.front();
    std::string reason;
    for (std::size_t i = 1; i < words.size(); ++i) reason += (i > 1 ? " " : "") + words[i];
    if (!reason.empty()) request["reason"] = reason;
    return request;
}

}  // namespace

int cmd_resource_status(int argc, char** argv) {
    Cli cli{"flux-resource status", style,
            "[-h] [-o FORMAT] [-n] [-s STATES] [-q QUEUE,...] [-i TARGETS] [-L[WHEN]] "
            "[--skip-empty]",
            "Show the state of the nodes."};
    ListOptions options;
    std::vector<std::string> lists;
    options.declare(cli);
    cli.option("-s,--states=STATE,...", lists, "states to show, or help");
    cli.flag("--skip-empty", options.skip_empty, "leave out states without nodes");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty())
        return cli.usage_error("unrecognized arguments: " + cli.words().front());
    const std::string known = "valid states: " + join(node_states(), ",");
    for (const std::string& list : lists)
        for (std::string& state : split_words(list)) options.states.push_back(std::move(state));
    const bool chosen = !options.states.empty();
    if (chosen && options.states.front() == "help") {
        fmt::print(stderr, "flux-resource: INFO: {}\n", known);
        return 0;
    }
    if (const auto valid = check_node_states(options.states); !valid) {
        const int code = cli.error(valid.error().text());
        fmt::print(stderr, "flux-resource: INFO: {}\n", known);
        return code;
    }
    LineOptions lines;
    lines.states = chosen ? options.states
                          : std::vector<std::string>{"avail", "exclude", "draining", "drained",
                                                     "torpid", "housekeeping"};
    lines.skip_empty = !chosen || options.skip_empty;
    return show(cli, options, status_formats(), std::move(lines));
}

int cmd_resource_drain(int argc, char** argv) {
    Cli cli{"flux-resource drain", style,
            "[-h] [-o FORMAT] [-n] [-q QUEUE,...] [-i TARGETS] [-L[WHEN]] [-f] [-u] "
            "[TARGETS [REASON ...]]",
            "Drain nodes, or list those that are drained."};
    ListOptions options;
    int force = 0;
    bool update = false;
    options.declare(cli);
    cli.count("-f,--force", force, "replace the reason of drained nodes; twice: the time too");
    cli.flag("-u,--update", update, "leave nodes that are drained as they are");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) {
        LineOptions lines;
        lines.states = {"draining", "drained"};
        return show(cli, options, drain_formats(), std::move(lines));
    }
    if (force && update) return cli.error("Only one of --force and --update may be specified");
    JsonObject request = drain_request(cli.words());
    if (force) request["mode"] = force > 1 ? "force-overwrite" : "overwrite";
    if (update) request["mode"] = "update";
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = flux->call("resource.drain", request, {.nodeid = 0});
    return done ? 0 : refused(cli, done.error());
}

int cmd_resource_undrain(int argc, char** argv) {
    Cli cli{"flux-resource undrain", style, "[-h] [-f] [-u] TARGETS [REASON ...]",
            "Make drained nodes available again."};
    int force = 0;
    bool update = false;
    cli.count("-f,--force", force, "pass over nodes that are not drained");
    cli.flag("-u,--update", update, "as --force");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty())
        return cli.usage_error("the following arguments are required: targets");
    JsonObject request = drain_request(cli.words());
    if (update) request["mode"] = "update";
    if (force) request["mode"] = force > 1 ? "force-overwrite" : "overwrite";
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = flux->call("resource.undrain", request, {.nodeid = 0});
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace sluice
