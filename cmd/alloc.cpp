// flux alloc: an instance of its own to work in, attached or in the background.
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "base/rfc/fluid.hpp"
#include "cmd/client.hpp"
#include "cmd/commands.hpp"
#include "cmd/job/attach.hpp"
#include "cmd/job/event_stream.hpp"
#include "cmd/job_query.hpp"
#include "cmd/submission.hpp"

namespace sluice {
namespace {

/// Waits until the new instance is ready for work.
class BackgroundStart {
  public:
    BackgroundStart(Handle& flux, JobId id, bool verbose)
        : flux_(flux), id_(id), verbose_(verbose), interrupts_(flux.io(), SIGINT) {}

    /// Errors: why the instance did not come up.
    Result<void> wait() {
        say("waiting for resources");
        watch_events(flux_, id_, {},
                     {.on_event = [this](const Event& event) { on_event(event); },
                      .on_end = [this](Result<void> end) { on_end(end); }});
        interrupts_.async_wait([this](const boost::system::error_code& error, int) {
            if (!error) cancel();
        });
        const bool connected = flux_.run_until([this] { return failure_ || !uri_.empty(); });
        interrupts_.cancel();
        if (failure_) return *failure_;
        if (!connected) return fail(ECONNRESET, "lost connection to Flux");
        say("waiting for instance");
        SLUICE_TRY(Handle instance, Handle::open(reachable_uri(uri_)));
        SLUICE_CHECK(to_void(instance.call("state-machine.wait")));
        say("ready");
        return {};
    }

  private:
    static Result<void> to_void(const Result<JsonObject>& result) {
        return result ? Result<void>{} : Result<void>{result.error()};
    }

    void say(const char* what) const {
        if (!verbose_) return;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
        fmt::print(stderr, "{}: {:6.3f}s: {}\n", to_f58(id_), passed.count(), what);
    }

    void on_event(const Event& event) {
        if (event.name == "alloc") say("resources allocated");
        JsonReader in(event.context);
        if (event.name == "memo") uri_ = in.string_or("uri", uri_);
        if (event.name == "exception" && in.integer_or("severity", 1) == 0 && !failure_) {
            const std::string type = in.string_or("type", "");
            failure_ = fail(ECANCELED, "{}: exception: {} {}", to_f58(id_), type,
                            in.string_or("note", ""));
        }
        if (event.name == "finish" && !failure_)
            failure_ = fail(ECANCELED, "{}: the instance ended before it was ready", to_f58(id_));
    }

    void on_end(const Result<void>& end) {
        if (!failure_ && uri_.empty())
            failure_ = end ? fail(ECANCELED, "{}: the job has ended", to_f58(id_)) : end.error();
    }

    void cancel() {
        JsonObject payload;
        payload["id"] = id_.value;
        payload["severity"] = 0;
        payload["type"] = "cancel";
        payload["note"] = "interrupted by ctrl-C";
        flux_.send("job-manager.raise", payload, {}, [](const Reply&) {});
    }

    Handle& flux_;
    JobId id_;
    bool verbose_;
    boost::asio::signal_set interrupts_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::string uri_;
    std::optional<Error> failure_;
};

int run_in_background(SubmissionLine& line, Handle& flux, JobId id) {
    const Result<void> ready = BackgroundStart(flux, id, line.options.verbose > 0).wait();
    if (!ready) return line.cli.error(ready.error().text());
    fmt::print("{}\n", to_f58(id));
    return 0;
}

}  // namespace

int cmd_alloc(int argc, char** argv) {
    SubmissionLine line(SubmitVerb::alloc);
    if (const auto code = line.parse(argc, argv)) return *code;
    Result<std::optional<SubmittedJob>> submitted = submit_or_print(line, {.command = line.words});
    if (!submitted) return line.cli.error(submitted.error().text());
    if (!*submitted) return 0;
    auto& [flux, id] = **submitted;
    if (line.options.background) return run_in_background(line, flux, id);
    if (line.options.verbose > 0) fmt::print(stderr, "jobid: {}\n", to_f58(id));
    AttachOptions attach;
    attach.shown_id = to_f58(id);
    attach.show_events = line.options.verbose > 1;
    attach.show_exec = line.options.verbose > 2;
    return attach_job(flux, id, attach);
}

}  // namespace sluice
