// flux queue: submission and scheduling of queues (RFC 33), and waiting for them to empty.
// `flux queue list` is in queue_list.cpp.
#include <fmt/format.h>

#include <cstdio>

#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/queue_list.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::python_tool;

enum class Part { submission, scheduling, both };

struct AdminOptions {
    bool all = false, verbose = false, quiet = false, no_checkpoint = false;
    std::string message;
};

Result<std::vector<std::string>> queue_names(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("job-manager.queue-list"));
    JsonReader in{reply};
    std::vector<std::string> names;
    for (const Json& name : in.array("queues"))
        if (name.is_string()) names.emplace_back(name.get_string());
    if (!in) return in.error();
    return names;
}

void print_state(const JsonObject& status, const std::string& prefix, Part part) {
    JsonReader in{status};
    const auto print = [&](std::string_view what, bool good, std::string_view reason_key) {
        const std::string reason = good ? "" : in.string_or(reason_key, "");
        fmt::print("{}{}{}{}\n", prefix, what, reason.empty() ? "" : ": ", reason);
    };
    if (part != Part::scheduling) {
        const bool on = in.boolean_or("enable", false);
        print(on ? "Job submission is enabled" : "Job submission is disabled", on,
              "disable_reason");
    }
    if (part != Part::submission) {
        const bool on = in.boolean_or("start", false);
        print(on ? "Scheduling is started" : "Scheduling is stopped", on, "stop_reason");
    }
}

Result<void> print_counts(Handle& flux) {
    SLUICE_TRY(const JsonObject reply, flux.call("job-manager.alloc-query"));
    JsonReader in{reply};
    const auto queued = in.integer("queue_length");
    const auto pending = in.integer("alloc_pending");
    const auto running = in.integer("running");
    if (!in) return in.error();
    fmt::print(
        "{} alloc requests queued\n{} alloc requests pending to scheduler\n"
        "{} running jobs\n",
        queued, pending, running);
    return {};
}

/// Prints the state of `queues`, or of all queues when it is empty.
Result<void> show_status(Handle& flux, std::vector<std::string> queues, Part part) {
    if (queues.empty()) {
        SLUICE_TRY(queues, queue_names(flux));
        if (queues.empty()) {
            SLUICE_TRY(const JsonObject status,
                       flux.call("job-manager.queue-status", JsonObject{}, {.nodeid = 0}));
            print_state(status, "", part);
        }
    }
    for (const std::string& name : queues) {
        JsonObject request;
        request["name"] = name;
        SLUICE_TRY(const JsonObject status,
                   flux.call("job-manager.queue-status", request, {.nodeid = 0}));
        print_state(status, name + ": ", part);
    }
    return {};
}

int cmd_queue_status(int argc, char** argv) {
    Cli cli{"flux-queue status", style, "[-h] [-v] [QUEUE]...",
            "Show whether submission is enabled and scheduling started."};
    bool verbose = false;
    std::vector<std::string> named;
    cli.flag("-v,--verbose", verbose, "also show numbers of requests and jobs");
    cli.option("-q,--queue=NAME", named, "");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    named.insert(named.end(), cli.words().begin(), cli.words().end());
    Result<void> done = show_status(*flux, named, Part::both);
    if (done && verbose) done = print_counts(*flux);
    return done ? 0 : cli.error("status: " + done.error().text());
}

/// What enable, disable, start and stop share: their options, the queues, the connection.
struct AdminLine {
    Cli cli;
    AdminOptions options;
    std::vector<std::string> queues;
    std::optional<Handle> flux;

    /// An exit code when the command is over. `why`: what --message tells, if it has one.
    std::optional<int> parse(int argc, char** argv, const char* why) {
        cli.option("-q,--queue=NAME", queues, "");
        cli.flag("-a,--all", options.all, "apply the command to all queues");
        cli.flag("-v,--verbose", options.verbose, "also show numbers of requests and jobs");
        cli.flag("--quiet", options.quiet, "print nothing");
        if (why) {
            cli.option("-m,--message=REASON", options.message, why);
            cli.flag("--nocheckpoint", options.no_checkpoint, "forget this at a restart");
        }
        if (const auto code = cli.parse(argc, argv)) return *code;
        flux = open_flux(cli, style);
        if (!flux) return 1;
        queues.insert(queues.end(), cli.words().begin(), cli.words().end());
        return std::nullopt;
    }
};

/// Requests for `queues`, or one without a name.
Result<void> send_admin(Handle& flux, std::string_view topic, JsonObject request,
                        const std::vector<std::string>& queues) {
    if (queues.empty()) {
        SLUICE_CHECK(flux.call(topic, request, {.nodeid = 0}));
        return {};
    }
    for (const std::string& name : queues) {
        request["name"] = name;
        SLUICE_CHECK(flux.call(topic, request, {.nodeid = 0}));
    }
    return {};
}

int report_admin(AdminLine& line, Part part) {
    if (line.options.quiet) return 0;
    Result<void> shown = show_status(*line.flux, line.queues, part);
    if (shown && line.options.verbose && part != Part::submission) shown = print_counts(*line.flux);
    return shown ? 0 : line.cli.error("status: " + shown.error().text());
}

int set_submission(int argc, char** argv, bool enable) {
    AdminLine line{{enable ? "flux-queue enable" : "flux-queue disable", style,
                    "[-h] [OPTIONS] [QUEUE]...", enable ? "Accept new jobs." : "Refuse new jobs."},
                   {},
                   {},
                   {}};
    const char* why = enable ? nullptr : "why submission is disabled";
    if (const auto code = line.parse(argc, argv, why)) return *code;
    const std::string& reason = line.options.message;
    JsonObject request{{"enable", enable}, {"all", line.options.all}};
    if (!enable) request["reason"] = reason.empty() ? "disabled by administrator" : reason;
    const auto done =
        send_admin(*line.flux, "job-manager.queue-enable", std::move(request), line.queues);
    if (!done) return line.cli.error("enable: " + done.error().text());
    return report_admin(line, Part::submission);
}

int set_scheduling(int argc, char** argv, bool start) {
    AdminLine line{{start ? "flux-queue start" : "flux-queue stop", style,
                    "[-h] [OPTIONS] [QUEUE]...", start ? "Start scheduling." : "Stop scheduling."},
                   {},
                   {},
                   {}};
    const char* why = start ? nullptr : "why scheduling is stopped";
    if (const auto code = line.parse(argc, argv, why)) return *code;
    if (line.queues.empty() && !line.options.all) {
        const auto names = queue_names(*line.flux);
        if (!names) return line.cli.error("start: " + names.error().text());
        if (!names->empty())
            return line.cli.error("Named queues are defined. Specify queues or use --all.");
    }
    JsonObject request{
        {"start", start}, {"all", line.options.all}, {"nocheckpoint", line.options.no_checkpoint}};
    if (!line.options.message.empty()) request["reason"] = line.options.message;
    const auto done =
        send_admin(*line.flux, "job-manager.queue-start", std::move(request), line.queues);
    if (!done) return line.cli.error("start: " + done.error().text());
    return report_admin(line, Part::scheduling);
}

int cmd_queue_enable(int argc, char** argv) {
    return set_submission(argc, argv, true);
}
int cmd_queue_disable(int argc, char** argv) {
    return set_submission(argc, argv, false);
}
int cmd_queue_start(int argc, char** argv) {
    return set_scheduling(argc, argv, true);
}
int cmd_queue_stop(int argc, char** argv) {
    return set_scheduling(argc, argv, false);
}

/// Waits in `drain` or `idle`; the pending jobs are printed for idle.
int wait_in(int argc, char** argv, const std::string& verb, std::string summary) {
    Cli cli{"flux-queue " + verb, style, "[-h] [-t FSD] [QUEUE]...", std::move(summary)};
    const bool idle = verb == "idle";
    bool quiet = false;
    std::optional<double> seconds;
    cli.option("-t,--timeout=FSD", duration_into(seconds), "give up after this time");
    if (idle) cli.flag("--quiet", quiet, "print the number of pending jobs only if there are any");
    if (const auto code = cli.parse(argc, argv)) return *code;
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    JsonObject request;
    JsonArray queues;
    for (const std::string& word : cli.words()) queues.emplace_back(word);
    if (!queues.empty()) request["queues"] = std::move(queues);
    const auto reply = call_within(*flux, "job-manager." + verb, request, {}, seconds);
    if (!reply)
        return cli.error(verb + ": " +
                         (reply.error().errnum() == ETIMEDOUT ? "timeout" : reply.error().text()));
    if (!idle) return 0;
    JsonReader in{*reply};
    const auto pending = in.integer("pending");
    if (!in) return cli.error(in.error().text());
    if (!quiet || pending > 0) fmt::print("{} jobs\n", pending);
    return 0;
}

int cmd_queue_drain(int argc, char** argv) {
    return wait_in(argc, argv, "drain", "Wait until there are no jobs, or none in these queues.");
}

int cmd_queue_idle(int argc, char** argv) {
    return wait_in(argc, argv, "idle",
                   "Wait until no job runs or is being allocated, or none in these queues.");
}

constexpr Command queue_commands[] = {
    {"list", cmd_queue_list, "list queues and their limits"},
    {"status", cmd_queue_status, "show submission and scheduling state"},
    {"enable", cmd_queue_enable, "accept new jobs"},
    {"disable", cmd_queue_disable, "refuse new jobs"},
    {"start", cmd_queue_start, "start scheduling"},
    {"stop", cmd_queue_stop, "stop scheduling"},
    {"drain", cmd_queue_drain, "wait until there are no jobs"},
    {"idle", cmd_queue_idle, "wait until no job runs"},
};

}  // namespace

int cmd_queue(int argc, char** argv) {
    const int code = run_subcommand("flux-queue", queue_commands, argc, argv);
    // The reference's queue tool is of the python kind, where misuse exits with 2.
    const bool known = argc > 1 && find_command(queue_commands, argv[1]);
    return !known && code == 1 ? 2 : code;
}

}  // namespace sluice
