// flux cron: commands that the instance runs at intervals, at events or at dates (cron service of
// rank 0). This file makes entries; control.cpp lists and changes them.
#include "cmd/cron/cron.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "base/rfc/fsd.hpp"
#include "base/words.hpp"
#include "cmd/client.hpp"
#include "cmd/cron/cron_requests.hpp"
#include "cmd/format/conversion.hpp"
#include "cmd/format/datetime.hpp"
#include "cmd/load_file.hpp"

extern char** environ;

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

/// What the commands that make entries share.
struct NewEntry {
    bool keep_environment = false;
    std::string folder, name, options;
    std::int64_t repeat = 0;
    JsonObject args;

    void declare(Cli& cli) {
        cli.option("-o,--options=KEY=VAL,...", options,
                   "timeout, rank, task-history-count, stop-on-failure");
        cli.flag("-E,--preserve-env", keep_environment, "Run it with this environment");
        cli.option("-d,--working-dir=DIR", folder, "Run it in this folder");
    }
    void declare_name_and_count(Cli& cli) {
        cli.option("-N,--name=NAME", name, "Name of the entry (the command)");
        cli.option("-c,--count=N", integer_into(repeat), "Run it at most N times");
    }
    Result<JsonObject> request(std::string_view type, const std::string& command) const {
        JsonObject request{{"type", type},
                           {"name", name.empty() ? command.substr(0, command.find(' ')) : name},
                           {"args", args},
                           {"command", command}};
        if (repeat > 0) request["repeat"] = repeat;
        if (!folder.empty()) request["cwd"] = folder;
        if (keep_environment) {
            JsonObject variables;
            for (char** entry = environ; *entry; ++entry) {
                const std::string_view text = *entry;
                if (const std::size_t equals = text.find('='); equals != text.npos)
                    variables[text.substr(0, equals)] = text.substr(equals + 1);
            }
            request["environ"] = std::move(variables);
        }
        SLUICE_CHECK(add_cron_options(options, request));
        return request;
    }
};

std::string joined(const std::vector<std::string>& words, std::size_t from) {
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i) text += (i > from ? " " : "") + words[i];
    return text;
}

/// "interval: cron-1 created", and when it is due if it has a date.
Result<void> create(Handle& flux, std::string_view verb, const JsonObject& request) {
    SLUICE_TRY(const JsonObject entry, flux.call("cron.create", request, {.nodeid = 0}));
    JsonReader in{entry};
    fmt::print("{}: cron-{} created", verb, in.integer("id"));
    const Json* next = find_path(entry, "typedata.next_wakeup");
    if (const auto at = next ? as_number(*next) : std::nullopt; at && verb != "interval")
        fmt::print(": scheduled in {:.3f}s at {}", *at - wall_clock_now(),
                   local_time(*at, "%a %b %e %H:%M:%S %Y"));
    fmt::print("\n");
    return in ? Result<void>{} : in.error();
}

int create_from(const Cli& cli, std::string_view verb, std::string_view type,
                const NewEntry& entry, const std::string& command) {
    const auto request = entry.request(type, command);
    if (!request) return cli.error(request.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const auto done = create(*flux, verb, *request);
    return done ? 0 : cli.error(fmt::format("{}: {}", verb, done.error().text()));
}

}  // namespace

int cmd_cron_interval(int argc, char** argv) {
    Cli cli("flux-cron interval", style, "[OPTIONS] INTERVAL COMMAND",
            "Run COMMAND once every INTERVAL.");
    NewEntry entry;
    std::optional<double> after;
    entry.declare_name_and_count(cli);
    cli.option("-a,--after=FSD", duration_into(after), "Time until the first run");
    entry.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto& words = cli.words();
    if (words.size() < 2) return cli.usage_error("INTERVAL and COMMAND required");
    const auto interval = fsd_parse(words[0]);
    if (!interval) return cli.error(fmt::format("Invalid duration '{}'", words[0]));
    entry.args["interval"] = *interval;
    if (after) entry.args["after"] = *after;
    return create_from(cli, "interval", "interval", entry, joined(words, 1));
}

int cmd_cron_event(int argc, char** argv) {
    Cli cli("flux-cron event", style, "[OPTIONS] TOPIC COMMAND",
            "Run COMMAND at every event whose topic begins with TOPIC.");
    NewEntry entry;
    std::int64_t nth = 0, after = 0;
    std::optional<double> pause;
    cli.option("-n,--nth=N", integer_into(nth), "At every Nth event only");
    cli.option("-a,--after=N", integer_into(after), "Not at the first N events");
    cli.option("-i,--min-interval=FSD", duration_into(pause), "Least time between two runs");
    entry.declare_name_and_count(cli);
    entry.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto& words = cli.words();
    if (words.size() < 2) return cli.usage_error("TOPIC and COMMAND args are required");
    entry.args["topic"] = words[0];
    if (nth > 0) entry.args["nth"] = nth;
    if (after > 0) entry.args["after"] = after;
    if (pause) entry.args["min_interval"] = *pause;
    return create_from(cli, "event", "event", entry, joined(words, 1));
}

int cmd_cron_at(int argc, char** argv) {
    Cli cli("flux-cron at", style, "[OPTIONS] DATETIME COMMAND", "Run COMMAND once, at DATETIME.");
    NewEntry entry;
    entry.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    const auto& words = cli.words();
    if (words.size() < 2) return cli.usage_error("DATETIME and COMMAND required");
    const double now = wall_clock_now();
    const auto time = parse_datetime(words[0], now);
    if (!time) return cli.error("Failed to parse datetime arg: " + time.error().text());
    if (*time <= now) return cli.error(fmt::format("'{}' is in the past", words[0]));
    entry.args = calendar_of(*time);
    entry.repeat = 1;
    return create_from(cli, "at", "datetime", entry, joined(words, 1));
}

int cmd_cron_tab(int argc, char** argv) {
    Cli cli("flux-cron tab", style, "[OPTIONS] [FILE]",
            "Make an entry of each line of a crontab(5) file, or of standard input.");
    NewEntry entry;
    entry.declare(cli);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() > 1) return cli.usage_error("give one file");
    std::string text;
    if (cli.words().empty() || cli.words()[0] == "-") {
        text = read_stdin();
    } else {
        const auto file = load_file(cli.words()[0]);
        if (!file) return cli.error(file.error().text());
        text = file->content;
    }
    std::vector<JsonObject> requests;  // all lines must be good before the first entry is made
    for (const std::string& line : split_words(text, '\n')) {
        const auto parsed = parse_crontab_line(line);
        if (!parsed) return cli.error(parsed.error().text());
        if (parsed->command.empty()) continue;
        entry.args = parsed->fields;
        const auto request = entry.request("datetime", parsed->command);
        if (!request) return cli.error(request.error().text());
        requests.push_back(*request);
    }
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    for (const JsonObject& request : requests)
        if (const auto done = create(*flux, "tab", request); !done)
            return cli.error("tab: " + done.error().text());
    return 0;
}

}  // namespace sluice
