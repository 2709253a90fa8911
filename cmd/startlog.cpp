// flux startlog: when the instance started and ended, from the events in key admin.eventlog.
#include <fmt/format.h>

#include <ctime>
#include <string>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/fsd.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/instance.hpp"
#include "cmd/kvs/client.hpp"

namespace sluice {
namespace {

constexpr std::int64_t version_known = 1;
constexpr const char* startlog_key = "admin.eventlog";

struct StartlogOptions {
    bool check = false, quiet = false, show_version = false;
};

std::string time_text(double timestamp) {
    const auto seconds = static_cast<std::time_t>(timestamp);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[32] = "";
    std::strftime(text, sizeof text, "%Y-%m-%d %R", &parts);
    return text;
}

/// Events of another form are passed over, for they are not ours.
bool is_known(const Event& event) {
    const Json* version = event.context.if_contains("version");
    const auto number = version ? as_integer(*version) : std::nullopt;
    return number && *number >= 0 && *number <= version_known;
}

struct Startlog {
    std::string text;
    bool crashed = false;  // the run before the present one, or the last one
};

/// One line a run: "START - END (DURATION)", "START - crashed", or "START - running (DURATION)".
Startlog read_startlog(const std::vector<Event>& events, double now, bool show_version) {
    Startlog log;
    bool started = false;
    double last = 0;
    for (const Event& event : events) {
        if (!is_known(event)) continue;
        if (event.name == "start") {
            if (started) {
                log.text += "crashed\n";
                log.crashed = true;
            }
            if (show_version) {
                JsonReader in{event.context};
                log.text += fmt::format("{:>25}  ", in.string_or("core_version", ""));
            }
            log.text += time_text(event.timestamp) + " - ";
            started = true;
        } else if (event.name == "finish") {
            if (started) {
                log.text += fmt::format("{} ({})\n", time_text(event.timestamp),
                                        fsd_format(event.timestamp - last, 2));
                log.crashed = false;
            }
            started = false;
        }
        last = event.timestamp;
    }
    if (started) log.text += fmt::format("running ({})\n", fsd_format(now - last, 2));
    return log;
}

Result<std::vector<Event>> load_events(Handle& flux) {
    const KvsQuery query{.name_space = "primary", .key = startlog_key};
    const auto value = kvs_lookup(flux, query);
    if (!value) return fail(EIO, "Error fetching eventlog: {}", errno_text(value.error()));
    auto events = decode_eventlog(value->value);
    if (!events) return fail(EPROTO, "Error decoding eventlog: {}", events.error().text());
    return events;
}

}  // namespace

int cmd_startlog(int argc, char** argv) {
    StartlogOptions options;
    Cli cli{"flux-startlog", CliStyle::c_tool, "[OPTIONS]", "List Flux instance startlog"};
    cli.flag("--check", options.check, "Check if instance was properly shut down");
    cli.flag("--quiet", options.quiet, "Suppress listing, useful with --check");
    cli.flag("-v,--show-version", options.show_version,
             "Show the flux-core version string in output");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (!cli.words().empty()) return cli.usage_error("no words are expected");
    auto flux = open_builtin();
    if (!flux) return 1;
    const auto events = load_events(*flux);
    if (!events) return cli.error(events.error().text());
    const Startlog log = read_startlog(*events, wall_clock_now(), options.show_version);
    if (!options.quiet) write_stdout(log.text);
    return options.check && log.crashed ? 1 : 0;
}

}  // namespace sluice
