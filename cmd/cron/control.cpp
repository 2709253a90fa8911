// flux cron: lists entries and changes them.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/cron/cron.hpp"
#include "cmd/cron/cron_requests.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// "3" or "cron-3".
Result<std::int64_t> entry_id(std::string_view word) {
    const std::string_view digits = word.starts_with("cron-") ? word.substr(5) : word;
    const auto id = parse_integer(digits);
    if (!id) return fail(EINVAL, "{}: no id of an entry; see flux cron list", word);
    return *id;
}

/// Sends `topic` for each id of the command line and gives the answers to `show`.
template <class Show>
int for_each_id(const Cli& cli, std::string_view topic, JsonObject request, Show show) {
    if (cli.words().empty()) return cli.usage_error("ID argument required");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    int code = 0;
    for (const std::string& word : cli.words()) {
        const auto id = entry_id(word);
        if (!id) {
            code = cli.error(id.error().text());
            continue;
        }
        request["id"] = *id;
        const auto entry = flux->call(topic, request, {.nodeid = 0});
        if (entry)
            show(*id, *entry);
        else
            code = cli.error(fmt::format("cron-{}: {}", *id, entry.error().text()));
    }
    return code;
}

Result<JsonArray> list_entries(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("cron.list", {}, {.nodeid = 0}));
    JsonReader in{reply};
    JsonArray entries = in.array("entries");
    if (!in) return in.error();
    return entries;
}

void print_sync(const JsonObject& reply) {
    JsonReader in{reply};
    if (in.boolean_or("sync_disabled", false))
        fmt::print("sync: sync disabled.\n");
    else
        fmt::print("sync: sync to event \"{}\" epsilon={:.3f}s.\n", in.string_or("sync_event", ""),
                   in.number_or("sync_epsilon", 0));
}

}  // namespace

int cmd_cron_list(int argc, char** argv) {
    Cli cli("flux-cron list", style, "", "List the entries.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto entries = list_entries(*flux);
    if (!entries) return cli.error(entries.error().text());
    std::string text = cron_heading();
    for (const Json& entry : *entries)
        if (entry.is_object()) text += cron_line(entry.get_object(), wall_clock_now());
    write_stdout(text);
    return 0;
}

int cmd_cron_dump(int argc, char** argv) {
    Cli cli("flux-cron dump", style, "[OPTIONS] ID...", "Print what is known of entries.");
    std::string key;
    cli.option("-k,--key=KEY", key, "Print only this value");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("ID argument required");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto entries = list_entries(*flux);
    if (!entries) return cli.error(entries.error().text());
    int code = 0;
    for (const std::string& word : cli.words()) {
        const auto id = entry_id(word);
        const JsonObject* found = nullptr;
        for (const Json& entry : *entries)
            if (id && entry.is_object() && JsonReader{entry.get_object()}.integer("id") == *id)
                found = &entry.get_object();
        const Json* value = found && !key.empty() ? find_path(*found, key) : nullptr;
        if (!id)
            code = cli.error(id.error().text());
        else if (!found)
            code = cli.error(fmt::format("cron-{}: No such cron entry found", *id));
        else if (!key.empty() && !value)
            code = cli.error(fmt::format("cron-{}: no key {}", *id, key));
        else if (value)
            fmt::print("{}\n", value->is_string() ? std::string(value->get_string())
                                                  : dump_json(*value));
        else
            write_stdout(cron_dump(*found));
    }
    return code;
}

int cmd_cron_start(int argc, char** argv) {
    Cli cli("flux-cron start", style, "ID...", "Let stopped entries run again.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return for_each_id(cli, "cron.start", {}, [](std::int64_t id, const JsonObject&) {
        fmt::print("Started cron-{}\n", id);
    });
}

int cmd_cron_stop(int argc, char** argv) {
    Cli cli("flux-cron stop", style, "ID...", "Keep entries from running.");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return for_each_id(cli, "cron.stop", {}, [](std::int64_t id, const JsonObject&) {
        fmt::print("Stopped cron-{}\n", id);
    });
}

int cmd_cron_delete(int argc, char** argv) {
    Cli cli("flux-cron delete", style, "[OPTIONS] ID...", "Remove entries.");
    bool kill = false;
    cli.flag("-k,--kill", kill, "Also end what they are running");
    if (const auto code = cli.parse(argc, argv)) return *code;
    return for_each_id(cli, "cron.delete", {{"kill", kill}},
                       [](std::int64_t id, const JsonObject& entry) {
                           fmt::print("Removed cron-{}: {}\n", id,
                                      JsonReader{entry}.string_or("name", ""));
                       });
}

int cmd_cron_sync(int argc, char** argv) {
    Cli cli("flux-cron sync", style, "[OPTIONS] [TOPIC]",
            "Show or set the event that due commands wait for.");
    bool disable = false;
    std::optional<double> epsilon;
    cli.flag("-d,--disable", disable, "Run commands when they are due");
    cli.option("-e,--epsilon=FSD", duration_into(epsilon), "How long after the event is soon");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one topic");
    JsonObject request;
    if (!cli.words().empty()) request["topic"] = cli.words()[0];
    if (disable) request["disable"] = true;
    if (epsilon) request["sync_epsilon"] = *epsilon;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto reply = flux->call("cron.sync", request, {.nodeid = 0});
    if (!reply) return cli.error(reply.error().text());
    print_sync(*reply);
    return 0;
}

int cmd_cron(int argc, char** argv) {
    static constexpr Command table[] = {
        {"interval", cmd_cron_interval, "Run a command at intervals"},
        {"event", cmd_cron_event, "Run a command at events"},
        {"at", cmd_cron_at, "Run a command once, at a date"},
        {"tab", cmd_cron_tab, "Run commands as a crontab says"},
        {"list", cmd_cron_list, "List the entries"},
        {"dump", cmd_cron_dump, "Print what is known of entries"},
        {"start", cmd_cron_start, "Let stopped entries run again"},
        {"stop", cmd_cron_stop, "Keep entries from running"},
        {"delete", cmd_cron_delete, "Remove entries"},
        {"sync", cmd_cron_sync, "Show or set the event that due commands wait for"},
    };
    return run_subcommand("flux-cron", table, argc, argv);
}

}  // namespace sluice
