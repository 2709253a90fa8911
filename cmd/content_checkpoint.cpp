// flux content checkpoint: the saved states of the KVS that the backing store knows.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/content_checkpoint.hpp"
#include "cmd/instance.hpp"

namespace sluice {

namespace {

Result<JsonArray> load_checkpoints(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("content.checkpoint-get", {}, {.nodeid = 0}));
    JsonReader in{reply};
    JsonArray list = in.array("value");
    if (!in) return in.error();
    return list;
}

std::string utc_text(double time) {
    const auto seconds = static_cast<std::time_t>(time);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char text[40];
    return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
}

/// One line of the table.
Result<std::string> line_of(const Json& checkpoint, std::size_t index) {
    if (!checkpoint.is_object()) return fail(EPROTO, "checkpoint {}: no object", index);
    JsonReader in{checkpoint.get_object()};
    const std::string ref = in.string("rootref");
    const std::int64_t sequence = in.integer_or("sequence", 0);
    const double time = in.number_or("timestamp", 0);
    if (!in) return in.error();
    return fmt::format("{:<10} {:<10} {:<20} {}\n", index, sequence,
                       utc_text(time), ref);
}

int cmd_checkpoint_list(int argc, char** argv) {
    Cli cli("flux-content checkpoint list", CliStyle::c_tool, "[OPTIONS]",
            "List the saved states of the KVS, the newest first.");
    bool no_header = false, json = false;
    cli.flag("-n,--no-header", no_header, "Leave out the header line");
    cli.flag("-j,--json", json, "Print what is stored, a JSON object a line");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto list = load_checkpoints(*flux);
    if (!list) return cli.error(list.error().text());
    if (!json && !no_header)
        fmt::print("{:<10} {:<10} {:<20} {}\n", "Index", "Sequence", "Time", "Rootref");
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto line = json ? Result<std::string>{dump_json((*list)[i]) + "\n"}
                               : line_of((*list)[i], i);
        if (!line) return cli.error(line.error().text());
        write_stdout(*line);
    }
    return 0;
}

/// The KVS overwrites the checkpoint with its own, as long as it is loaded.
Result<void> update(Handle& flux, const std::string& ref) {
    SLUICE_TRY(const JsonObject modules, flux.call("module.list", {}, {.nodeid = 0}));
    JsonReader in{modules};
    for (const Json& module : in.array("mods"))
        if (module.is_object() && JsonReader{module.get_object()}.string_or("name", "") == "kvs")
            return fail(EBUSY, "please unload kvs module before updating checkpoint");
    SLUICE_TRY(const JsonArray list, load_checkpoints(flux));
    std::int64_t sequence = 0;
    if (!list.empty() && list.front().is_object())
        sequence = JsonReader{list.front().get_object()}.integer_or("sequence", 0);
    const JsonObject value{{"version", 1},
                           {"rootref", ref},
                           {"sequence", sequence + 1},
                           {"timestamp", wall_clock_now()}};
    SLUICE_CHECK(flux.call("content.checkpoint-put", {{"value", value}}, {.nodeid = 0}));
    return {};
}

int cmd_checkpoint_update(int argc, char** argv) {
    Cli cli("flux-content checkpoint update", CliStyle::c_tool, "BLOBREF",
            "Save BLOBREF as the state that the KVS begins with.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one blobref");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto done = update(*flux, cli.words()[0]);
    return done ? 0 : cli.error(done.error().text());
}

}  // namespace

int cmd_content_checkpoint(int argc, char** argv) {
    static constexpr Command table[] = {
        {"list", cmd_checkpoint_list, "List the saved states of the KVS"},
        {"update", cmd_checkpoint_update, "Save another state"},
    };
    return run_subcommand("flux-content checkpoint", table, argc, argv);
}

}  // namespace sluice
