// flux kvs eventlog: append to, print and follow eventlogs (RFC 18) in the KVS.
#include "base/rfc/eventlog.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/color.hpp"
#include "cmd/format/event_text.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

/// How events are printed: -u, -H and -L.
struct LineOptions {
    bool unformatted = false, human = false;
    ColorWhen color = ColorWhen::automatic;

    void declare(Cli& cli) {
        cli.flag("-u,--unformatted", unformatted, "Print the events' JSON");
        cli.flag("-H,--human", human, "Print the time of day, then seconds since");
        cli.option("-L,--color[=WHEN]", color_into(color), "never, always or auto");
    }
    Result<void> check() const {
        if (!human || !unformatted) return {};
        return fail(EINVAL, "--human and --unformatted cannot be used together");
    }
    EventText text() const {
        return EventText{{.time = human ? EventTime::human : EventTime::raw,
                          .json = unformatted,
                          .color = use_color(color)}};
    }
};

struct AppendOptions {
    std::optional<std::string> name_space;
    std::optional<double> timestamp;
};

Result<Event> build_event(const std::vector<std::string>& words, const AppendOptions& options) {
    Event event{.timestamp = options.timestamp.value_or(wall_clock_now()), .name = words[1]};
    std::string context;
    for (std::size_t i = 2; i < words.size(); ++i) context += (i > 2 ? " " : "") + words[i];
    if (context.empty()) return event;
    const auto object = parse_json_object(context);
    if (!object) return fail(EINVAL, "eventlog_entry_create: {}", Error{EINVAL}.text());
    event.context = *object;
    return event;
}

int cmd_append(int argc, char** argv) {
    AppendOptions options;
    Cli cli("flux-kvs eventlog append", CliStyle::c_tool, "[OPTIONS] key name [context]",
            "Append an event.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the key");
    cli.option("-t,--timestamp=SECONDS", duration_into(options.timestamp), "Time of the event");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() < 2) return cli.usage_error("give a key and a name");
    const auto event = build_event(cli.words(), options);
    if (!event) return kvs_error(event.error().text());
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const KvsChange change{.key = cli.words()[0],
                           .object = TreeObject::make_val(encode_event(*event)),
                           .flags = kvs_flag::append};
    const auto version = kvs_commit(*flux, kvs_namespace(options.name_space), {change});
    return version ? 0 : kvs_error("flux_kvs_commit", version.error());
}

struct GetOptions {
    std::optional<std::string> name_space;
    bool waitcreate = false, watch = false, stream = false;
    std::int64_t count = 0;
    LineOptions lines;
};

Result<void> print_log(Handle& flux, const GetOptions& options, const std::string& key) {
    KvsQuery query{.name_space = kvs_namespace(options.name_space), .key = key};
    EventText text = options.lines.text();
    const auto print = [&](const TreeObject& object, std::int64_t& seen) -> Result<void> {
        const auto events = decode_eventlog(object.value);
        if (!events) return fail(EINVAL, "cannot decode eventlog: {}", events.error().text());
        for (const Event& event : *events) {
            if (options.count > 0 && seen >= options.count) break;
            ++seen;
            write_stdout(text.next(event, event.timestamp) + "\n");
        }
        std::fflush(stdout);
        return {};
    };
    std::int64_t seen = 0;
    if (!options.watch && !options.waitcreate && !options.stream) {
        SLUICE_TRY(const TreeObject object, kvs_lookup(flux, query));
        return print(object, seen);
    }
    if (options.waitcreate) query.flags |= kvs_flag::waitcreate;
    if (options.watch) query.flags |= kvs_flag::watch | kvs_flag::watch_append;
    if (options.stream) query.flags |= kvs_flag::stream;
    Result<void> printed;
    SLUICE_CHECK(kvs_watch(flux, query, std::nullopt, [&](const TreeObject& object) {
        printed = print(object, seen);
        const bool enough = options.count > 0 && seen >= options.count;
        return !printed || enough ? KvsWatchStep::stop : KvsWatchStep::go_on;
    }));
    return printed;
}

int cmd_get(int argc, char** argv) {
    GetOptions options;
    Cli cli("flux-kvs eventlog get", CliStyle::c_tool, "[OPTIONS] key", "Print an eventlog.");
    cli.option("-N,--namespace=NAME", options.name_space, "Namespace of the key");
    cli.flag("-W,--waitcreate", options.waitcreate, "Wait until the log is there");
    cli.flag("-w,--watch", options.watch, "Follow the log");
    cli.option("-c,--count=N", integer_into(options.count), "End after N events");
    options.lines.declare(cli);
    cli.flag("-S,--stream", options.stream, "Get the log piece by piece");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("give one key");
    if (const auto good = options.lines.check(); !good) return kvs_error(good.error().text());
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const auto done = print_log(*flux, options, cli.words()[0]);
    return done ? 0 : kvs_error("flux_kvs_lookup_get", done.error());
}

int cmd_wait_event(int argc, char** argv) {
    std::optional<std::string> name_space;
    std::optional<double> timeout;
    bool waitcreate = false, quiet = false, verbose = false;
    LineOptions lines;
    Cli cli("flux-kvs eventlog wait-event", CliStyle::c_tool, "[OPTIONS] key event",
            "Wait for an event.");
    cli.option("-N,--namespace=NAME", name_space, "Namespace of the key");
    cli.flag("-W,--waitcreate", waitcreate, "Wait until the log is there");
    cli.option("-t,--timeout=FSD", duration_into(timeout), "Give up after this time");
    lines.declare(cli);
    cli.flag("-q,--quiet", quiet, "Print nothing");
    cli.flag("-v,--verbose", verbose, "Print all events on the way");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("give a key and an event");
    if (const auto good = lines.check(); !good) return kvs_error(good.error().text());
    auto flux = open_tool("flux-kvs");
    if (!flux) return 1;
    const std::int64_t flags =
        kvs_flag::watch | kvs_flag::watch_append | (waitcreate ? kvs_flag::waitcreate : 0);
    bool found = false;
    EventText text = lines.text();
    const auto done = kvs_watch(
        *flux, {.name_space = kvs_namespace(name_space), .key = cli.words()[0], .flags = flags},
        timeout, [&](const TreeObject& object) {
            const auto events = decode_eventlog(object.value);
            if (!events) return KvsWatchStep::go_on;
            for (const Event& event : *events) {
                found = event.name == cli.words()[1];
                const std::string line = text.next(event, event.timestamp) + "\n";
                if (!quiet && (found || verbose)) write_stdout(line);
                if (found) return KvsWatchStep::stop;
            }
            return KvsWatchStep::go_on;
        });
    if (found) return 0;
    if (!done && done.error().errnum() == ETIMEDOUT) return kvs_error("wait-event timeout");
    if (!done) return kvs_error("flux_kvs_lookup_get", done.error());
    return kvs_error(fmt::format("event '{}' never received", cli.words()[1]));
}

constexpr Command commands[] = {
    {"get", cmd_get, "Print an eventlog"},
    {"append", cmd_append, "Append an event"},
    {"wait-event", cmd_wait_event, "Wait for an event"},
};

}  // namespace

int cmd_kvs_eventlog(int argc, char** argv) {
    return run_subcommand("flux-kvs-eventlog", commands, argc, argv);
}

}  // namespace sluice
