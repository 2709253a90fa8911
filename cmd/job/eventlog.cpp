// flux job eventlog: prints an eventlog of a job, or follows it.
#include "cmd/job/event_options.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

Result<void> print_log(Handle& flux, JobId id, const std::string& path, EventText& text) {
    JsonObject request;
    request["id"] = id.value;
    request["keys"] = JsonArray{Json(path)};
    request["flags"] = 0;
    SLUICE_TRY(const JsonObject reply, flux.call("job-info.lookup", request));
    JsonReader in{reply};
    const std::string log = in.string(path);
    if (!in) return in.error();
    SLUICE_TRY(const auto events, decode_eventlog(log));
    for (const Event& event : events) write_stdout(text.next(event, wall_clock_now()) + "\n");
    return {};
}

Result<void> follow_log(Handle& flux, const EventlogPath& log, EventText& text) {
    std::optional<Error> bad;
    SLUICE_CHECK(watch_eventlog(flux, log, std::nullopt, [&](const std::string& line) {
        const auto event = decode_event(line);
        if (!event) {
            bad = event.error();
            return Watch::stop;
        }
        write_stdout(text.next(*event, wall_clock_now()) + "\n");
        std::fflush(stdout);
        return Watch::go_on;
    }));
    if (bad) return *bad;
    return {};
}

}  // namespace

int job_eventlog(int argc, char** argv) {
    Cli cli{"flux-job eventlog", style, "[OPTIONS] ID", "Print the eventlog of a job."};
    EventOptions options;
    bool follow = false;
    declare_event_options(cli, options);
    cli.flag("-F,--follow", follow, "print events as they come, until the log ends");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("wants one job id");
    const std::string& word = cli.words().front();
    const auto text = text_options(options);
    if (!text) return cli.error(text.error().text());
    const auto id = jobid_argument(word, style);
    if (!id) return cli.error(id.error().text());
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    const std::string path = eventlog_path(options.path);
    EventText lines{*text};
    const auto done =
        follow ? follow_log(*flux, {*id, path, true}, lines) : print_log(*flux, *id, path, lines);
    return done ? 0 : cli.error(eventlog_error(done.error(), word, path));
}

}  // namespace sluice
