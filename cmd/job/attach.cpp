// The sequence (wire.md 2.4): eventlog -> on submit guest.exec.eventlog -> on shell.init
// guest.output and stdin -> on finish the exit code; over when all streams have ended.
#include "cmd/job/attach.hpp"

#include <unistd.h>

#include <csignal>
#include <memory>

#include "base/rfc/idset.hpp"
#include "cmd/cli.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/job/attach_input.hpp"
#include "cmd/job/attach_pty.hpp"
#include "cmd/job/attach_signals.hpp"
#include "cmd/job/attach_status.hpp"
#include "cmd/job/debugger.hpp"
#include "cmd/job/event_stream.hpp"
#include "cmd/job/exit_status.hpp"
#include "cmd/job/output_printer.hpp"
#include "cmd/job_query.hpp"

namespace sluice {
namespace {

class AttachSession {
  public:
    AttachSession(Handle& flux, JobId id, const AttachOptions& options)
        : flux_(flux),
          id_(id),
          options_(options),
          printer_({.label = options.label_io,
                    .places = options.verbose > 0,
                    .redirects = !options.quiet,
                    .tail = options.tail}),
          signals_(flux, id, [this] { detached_ = true; }),
          status_(flux, id, options) {}

    int run() {
        job_stream_ = watch(
            "eventlog", [this](const Event& event) { on_job_event(event); },
            [this](const Error& error) { on_refused(error); });
        const bool connected = flux_.run_until([this] { return open_streams_ == 0 || detached_; });
        status_.clear();
        printer_.end_tail();
        std::fflush(stdout);
        say_end();
        if (!connected && open_streams_ > 0) {
            fmt::print(stderr, "flux-job: lost connection to Flux\n");
            return exit_code_ ? exit_code_ : 1;
        }
        if (detached_) return 1;
        return exit_code_;
    }

  private:
    using OnEvent = std::function<void(const Event&)>;
    using OnError = std::function<void(const Error&)>;

    Matchtag watch(const std::string& path, OnEvent on_event, OnError on_error) {
        ++open_streams_;
        EventStreamOptions stream{.path = path};
        EventStreamCallbacks callbacks;
        callbacks.on_event = std::move(on_event);
        callbacks.on_end = [this, path, on_error = std::move(on_error)](Result<void> end) {
            --open_streams_;
            if (!end) on_error(end.error());
            if (path == "guest.exec.eventlog") exec_ended_ = true;
            if (path == "guest.output") output_ended_ = true;
            if (finished_) say_end_in_order();
        };
        if (path == "guest.output" && options_.tail) {
            stream.sentinel = true;
            callbacks.on_sentinel = [this] { printer_.end_tail(); };
        }
        return watch_events(flux_, id_, stream, std::move(callbacks));
    }

    void on_refused(const Error& error) {
        exit_code_ = 1;
        std::string reason = error.text();
        if (error.errnum() == ENOENT) reason = "No such job";
        if (error.errnum() == EPERM) reason = "that is not your job";
        fmt::print(stderr, "flux-job: Failed to attach to {}: {}\n", options_.shown_id, reason);
    }

    void on_job_event(const Event& event) {
        if (event.name == "submit") on_submit(event);
        status_.on_job_event(event);
        if (options_.show_events && event.name != "exception") show("job", event);
        if (event.name == "exception") on_exception(event);
        if (event.name == "finish") on_finish(event);
        if (event.name == options_.wait_event && event.name != "clean")
            stop_watching(flux_, job_stream_);
    }

    void on_submit(const Event& event) {
        submitted_ = event.timestamp;
        watch(
            "guest.exec.eventlog", [this](const Event& entry) { on_exec_event(entry); },
            [](const Error&) {});  // a job that never ran has none
    }

    void show(std::string_view log, const Event& event) {
        status_.clear();
        fmt::print(stderr, "{:.3f}s: {}.{}{}{}\n", event.timestamp - submitted_, log, event.name,
                   event.context.empty() ? "" : " ",
                   event.context.empty() ? "" : dump_json(event.context));
    }

    void on_exception(const Event& event) {
        JsonReader in(event.context);
        const std::int64_t severity = in.integer("severity");
        const std::string type = in.string("type");
        const std::string note = in.string_or("note", "");
        if (!in) return;
        status_.clear();
        if (!options_.quiet || severity == 0) {
            fmt::print(stderr, "{:.3f}s: job.exception {} type={} severity={} {}\n",
                       event.timestamp - submitted_, options_.shown_id, type, severity, note);
            if (const auto detail = in.maybe_string("detail"))
                fmt::print(stderr, "flux-job: {}\n", *detail);
        }
        if (severity == 0) {
            fatal_exception_ = true;
            if (exit_code_ == 0) exit_code_ = 1;
        }
    }

    void on_finish(const Event& event) {
        JsonReader in(event.context);
        const std::int64_t wait_status = in.integer("status");
        if (!in) return;
        exit_code_ = job_exit_code(wait_status);
        // Its tasks may have ended well before it could be stopped.
        if (exit_code_ == 0 && fatal_exception_) exit_code_ = 1;
        finished_ = true;
        end_text_ = describe_job_end(wait_status);
        say_end_in_order();
        if (input_) input_->stop();
    }

    /// How the job ended is said after what it wrote. A stream that was begun in time has given
    /// all of that before the event finish; of a very short job's nothing may be here yet.
    void say_end_in_order() {
        const bool output_is_here = output_watched_ ? output_seen_ || output_ended_ : exec_ended_;
        if (output_is_here) say_end();
    }

    void say_end() {
        const std::string text = std::exchange(end_text_, {});
        if (text.empty() || options_.quiet) return;
        status_.clear();
        fmt::print(stderr, "flux-job: {}\n", text);
    }

    void on_exec_event(const Event& event) {
        status_.on_exec_event(event);
        if (options_.show_exec) show("exec", event);
        if (event.name == "shell.init") on_shell_init(event);
        if (event.name == "shell.start" && debugger::present()) fetch_tasks();
        if (event.name == "log") on_exec_log(event);
        if (event.name == "complete") watch_output();
    }

    void on_shell_init(const Event& event) {
        watch_output();
        JsonReader in(event.context);
        const auto leader = static_cast<std::uint32_t>(in.integer("leader-rank"));
        const std::string service = in.string("service");
        const std::string pty = in.string_or("pty", "");
        if (!in) return;
        leader_ = {service, leader};
        if (!pty.empty()) return attach_pty(service + "." + pty, leader);
        if (options_.read_only) return;
        input_ = std::make_unique<AttachInput>(
            flux_, AttachInput::Options{
                       .topic = service + ".stdin",
                       .leader = leader,
                       .ranks = options_.stdin_ranks,
                       .on_refused = [this](const Error& error) { on_input_refused(error); }});
        input_->start();
    }

    void on_input_refused(const Error& error) {
        if (error.errnum() == EPIPE && !options_.input_must_be_taken) return;
        fmt::print(stderr, "flux-job: stdin not accepted by job{}\n",
                   error.errnum() == EPIPE ? ": its input has ended already" : "");
        detached_ = detached_ || options_.input_must_be_taken;
    }

    /// For the debugger that controls us.
    void fetch_tasks() {
        flux_.send(leader_.service + ".proctable", JsonObject{}, {.nodeid = leader_.rank},
                   [this](const Reply& reply) {
                       const auto table = reply.json();
                       const auto tasks = table ? decode_proctable(*table)
                                                : Result<std::vector<TaskProcess>>{table.error()};
                       if (!tasks)
                           return fmt::print(stderr, "flux-job: no process table: {}\n",
                                             tasks.error().text());
                       debugger::show_tasks(id_, *tasks);
                       if (options_.debug_emulate)
                           flux_.send("job-manager.kill",
                                      JsonObject{{"id", id_.value}, {"signum", SIGCONT}},
                                      {.noresponse = true}, {});
                   });
    }

    void attach_pty(const std::string& topic, std::uint32_t leader) {
        if (options_.read_only) {
            fmt::print(stderr, "flux-job: Cannot connect to pty in readonly mode\n");
            detached_ = true;
            return;
        }
        status_.clear();
        ++open_streams_;
        pty_ = std::make_unique<AttachPty>(flux_, topic, leader, [this] { --open_streams_; });
        pty_->start();
    }

    void on_exec_log(const Event& event) {
        JsonReader in(event.context);
        const std::string component = in.string_or("component", "");
        const std::string data = in.string("data");
        const std::string rank = in.string_or("rank", "");
        if (!in) return;
        fmt::print(stderr, "{:.3f}s: {}[{}]: {}{}", event.timestamp - submitted_, component, rank,
                   data, data.ends_with('\n') ? "" : "\n");
    }

    void watch_output() {
        if (std::exchange(output_watched_, true)) return;
        watch(
            "guest.output", [this](const Event& event) { on_output(event); },
            [](const Error& error) {
                if (error.errnum() != ENOENT)
                    fmt::print(stderr, "flux-job: job output: {}\n", error.text());
            });
    }

    void on_output(const Event& event) {
        output_seen_ = true;
        // The terminal has shown it already where the output is captured too.
        if (pty_ && event.name == "data") return;
        status_.clear();
        if (const Result<void> printed = printer_.print(event, submitted_); !printed) {
            fmt::print(stderr, "flux-job: {}\n", printed.error().text());
            exit_code_ = 1;
            detached_ = true;
        }
    }

    Handle& flux_;
    JobId id_;
    const AttachOptions& options_;
    OutputPrinter printer_;
    AttachSignals signals_;
    AttachStatus status_;
    std::unique_ptr<AttachInput> input_;
    std::unique_ptr<AttachPty> pty_;
    struct Leader {
        std::string service;
        std::uint32_t rank = 0;
    } leader_;  // shell
    Matchtag job_stream_ = 0;
    int open_streams_ = 0, exit_code_ = 1;
    double submitted_ = 0;
    bool detached_ = false, fatal_exception_ = false, finished_ = false;
    bool exec_ended_ = false, output_watched_ = false, output_seen_ = false, output_ended_ = false;
    std::string end_text_;  // not said yet
};

void declare(Cli& cli, AttachOptions& options) {
    cli.flag("-E,--show-events", options.show_events, "Show job events on stderr");
    cli.flag("-X,--show-exec", options.show_exec, "Show exec events on stderr");
    cli.flag("--show-status", options.show_status, "Show the job's status while waiting");
    cli.option("-w,--wait-event=NAME", options.wait_event, "Wait for this event, not for clean");
    cli.flag("-l,--label-io", options.label_io, "Put the task's rank before each line");
    cli.count("-v,--verbose", options.verbose, "Show where in the shell messages come from");
    cli.flag("-q,--quiet", options.quiet, "Do not show how the job ended");
    cli.flag("-r,--read-only", options.read_only, "Do not read standard input");
    cli.flag("-u,--unbuffered", options.unbuffered, "Send input as it comes (it always is)");
    cli.option("-i,--stdin-ranks=RANKS", options.stdin_ranks, "Send standard input to these tasks");
    cli.option(
        "--tail[=N]",
        [&options](std::optional<std::string> value) -> Result<void> {
            constexpr std::size_t lines_default = 10;
            options.tail = lines_default;
            if (!value) return {};
            const Result<Idset> lines = Idset::parse(*value);
            if (!lines || lines->size() != 1)
                return fail(EINVAL, "--tail: invalid number of lines '{}'", *value);
            options.tail = lines->first();
            return {};
        },
        "Of the output so far, show the last N lines only (10)");
    cli.flag("--debug", options.debug, "Show the tasks to a parallel debugger (MPIR)");
    cli.flag("--debug-emulate", options.debug_emulate,
             "Do as with a debugger: let tasks stopped in exec go on");
}

/// Errors: ENOENT, EINVAL for a job that has no tasks any more.
Result<void> check_debugged(Handle& flux, JobId id, const std::string& shown_id) {
    constexpr std::int64_t run = 16;  // states after it have higher numbers (RFC 21)
    SLUICE_TRY(const JsonObject job, list_job_id(flux, id, {"state"}));
    JsonReader in{job};
    if (in.integer("state") <= run) return {};
    return fail(EINVAL, "cannot debug {}: the job has finished running", shown_id);
}

}  // namespace

int attach_job(Handle& flux, JobId id, const AttachOptions& options) {
    return AttachSession(flux, id, options).run();
}

int job_attach(int argc, char** argv) {
    AttachOptions options;
    options.input_must_be_taken = true;
    Cli cli("flux-job attach", CliStyle::c_tool, "[OPTIONS] ID",
            "Stay with a job until it ends; ctrl-C twice cancels it.");
    declare(cli, options);
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().size() != 1) return cli.usage_error("exactly one job id is needed");
    options.shown_id = cli.words()[0];
    const Result<JobId> id = jobid_argument(options.shown_id, CliStyle::c_tool);
    if (!id) return cli.error(id.error().text());
    if (options.read_only && options.stdin_ranks != "all")
        return cli.error("Do not use --stdin-ranks with --read-only");
    if (options.stdin_ranks != "all") {
        const Result<Idset> ranks = Idset::parse(options.stdin_ranks);
        if (!ranks) return cli.error("Invalid argument for --stdin-ranks: " + ranks.error().text());
    }
    Result<Handle> flux = Handle::open();
    if (!flux) return cli.error("flux_open: " + flux.error().text());
    if (options.debug || options.debug_emulate) debugger::expect();
    if (debugger::present())
        if (const auto alive = check_debugged(*flux, *id, options.shown_id); !alive)
            return cli.error(alive.error().text());
    return attach_job(*flux, *id, options);
}

}  // namespace sluice
