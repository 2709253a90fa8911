// flux job wait-event: blocks until an event is in an eventlog of a job, and prints it.
#include <fmt/format.h>

#include "cmd/job/event_options.hpp"
#include "cmd/job/job_commands.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

struct WaitEventOptions {
    EventOptions event;
    std::optional<double> timeout;
    std::string match;
    std::int64_t count = 1;
    bool quiet = false, verbose = false, wait_create = false;
};

/// Counts the events that match, printing as asked.
class EventWaiter {
  public:
    EventWaiter(const WaitEventOptions& options, std::string name, EventText::Options text)
        : options_(options), name_(std::move(name)), text_(text) {
        const std::size_t equals = options.match.find('=');
        key_ = options.match.substr(0, equals);
        if (equals != options.match.npos) value_ = options.match.substr(equals + 1);
    }

    Watch on_event(const Event& event) {
        const bool matches =
            event.name == name_ && (key_.empty() || context_matches(event.context, key_, value_));
        if (matches) ++seen_;
        const bool last = matches && seen_ >= options_.count;
        // Every event is formatted, because offsets count from the first, printed or not.
        const std::string line = text_.next(event, wall_clock_now()) + "\n";
        if (!options_.quiet && (last || options_.verbose)) write_stdout(line);
        return last ? Watch::stop : Watch::go_on;
    }
    bool received() const { return seen_ >= options_.count; }

  private:
    const WaitEventOptions& options_;
    std::string name_, key_, value_;
    EventText text_;
    std::int64_t seen_ = 0;
};

int wait_event(const Cli& cli, const WaitEventOptions& options, JobId id, EventWaiter& waiter) {
    const std::string& name = cli.words()[1];
    const std::string path = eventlog_path(options.event.path);
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    std::optional<Error> bad;
    const auto done = watch_eventlog(*flux, {id, path, options.wait_create}, options.timeout,
                                     [&](const std::string& line) {
                                         const auto event = decode_event(line);
                                         if (event) return waiter.on_event(*event);
                                         bad = event.error();
                                         return Watch::stop;
                                     });
    if (bad) return cli.error(bad->text());
    if (!done && done.error().errnum() == ETIMEDOUT)
        return cli.error(fmt::format("wait-event timeout on event '{}'", name));
    if (!done) return cli.error(eventlog_error(done.error(), cli.words()[0], path));
    if (!waiter.received()) return cli.error(fmt::format("event '{}' never received", name));
    return 0;
}

}  // namespace

int job_wait_event(int argc, char** argv) {
    Cli cli{"flux-job wait-event", style, "[OPTIONS] ID EVENT", "Wait for an event of a job."};
    WaitEventOptions options;
    declare_event_options(cli, options.event);
    cli.option("-t,--timeout=FSD", duration_into(options.timeout), "give up after this time");
    cli.option("-m,--match-context=KEY=VAL", options.match, "only events with this in the context");
    cli.option("-c,--count=N", integer_into(options.count), "wait for the Nth matching event (1)");
    cli.flag("-q,--quiet", options.quiet, "print nothing");
    cli.flag("-v,--verbose", options.verbose, "print all events before the match, too");
    cli.flag("-W,--waitcreate", options.wait_create, "wait for the eventlog to exist");
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 2) return cli.usage_error("wants a job id and an event");
    if (!options.match.empty() && options.match.find('=') == std::string::npos)
        return cli.error("must specify a context test as key=value");
    const auto text = text_options(options.event);
    if (!text) return cli.error(text.error().text());
    const auto id = jobid_argument(cli.words()[0], style);
    if (!id) return cli.error(id.error().text());
    EventWaiter waiter{options, cli.words()[1], *text};
    return wait_event(cli, options, *id, waiter);
}

}  // namespace sluice
