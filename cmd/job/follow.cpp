#include "cmd/job/follow.hpp"

#include <algorithm>
#include <memory>

#include "base/rfc/fluid.hpp"
#include "cmd/job/event_stream.hpp"
#include "cmd/job/exit_status.hpp"
#include "cmd/job/output_printer.hpp"

namespace sluice {
namespace {

constexpr std::string_view exec_prefix = "exec.";

/// Lives as long as one of its streams.
class Follower : public std::enable_shared_from_this<Follower> {
  public:
    Follower(Handle& flux, JobId id, FollowOptions options, std::function<void(int)> on_end)
        : flux_(flux),
          id_(id),
          options_(std::move(options)),
          on_end_(std::move(on_end)),
          printer_({.label = options_.label, .out = options_.out, .err = options_.err}),
          waits_exec_(options_.wait_event.starts_with(exec_prefix)) {}

    void start() { job_stream_ = watch("eventlog", &Follower::on_job_event); }

  private:
    using Handler = void (Follower::*)(const Event&);

    Matchtag watch(const std::string& path, Handler handler) {
        ++open_streams_;
        auto self = shared_from_this();
        return watch_events(
            flux_, id_, {.path = path},
            {.on_event = [self, handler](const Event& event) { ((*self).*handler)(event); },
             .on_end = [self, path](Result<void> end) { self->ended(path, end); }});
    }

    void ended(const std::string& path, const Result<void>& end) {
        if (!end && path == "eventlog") {
            fmt::print(options_.err, "{}: {}\n", to_f58(id_), end.error().text());
            exit_code_ = 1;
        }
        if (--open_streams_ == 0) on_end_(exit_code_);
    }

    void on_job_event(const Event& event) {
        if (seen_enough_) return;  // what comes after it may be on its way already
        JsonReader in(event.context);
        if (event.name == "submit") submitted_ = event.timestamp;
        if (options_.verbose > 0) show("job", event);
        if (event.name == "exception" && in.integer_or("severity", 1) == 0) on_fatal(event);
        if (event.name == "start") on_start();
        if (event.name == "finish")
            exit_code_ = std::max(fatal_ ? 1 : 0, job_exit_code(in.integer_or("status", 0)));
        if (event.name == options_.wait_event && event.name != "clean") stop_watching_job();
    }

    void stop_watching_job() {
        seen_enough_ = true;
        stop_watching(flux_, job_stream_);
    }

    void on_fatal(const Event& event) {
        JsonReader in(event.context);
        fatal_ = true;
        exit_code_ = std::max(exit_code_, 1);
        const std::string type = in.string_or("type", "");
        fmt::print(options_.err, "{:.3f}s: job.exception {} type={} severity=0 {}\n",
                   event.timestamp - submitted_, to_f58(id_), type, in.string_or("note", ""));
    }

    void on_start() {
        if (options_.on_start) options_.on_start();
        if (options_.output || waits_exec_)
            exec_stream_ = watch("guest.exec.eventlog", &Follower::on_exec_event);
    }

    void on_exec_event(const Event& event) {
        if (options_.verbose > 1) show("exec", event);
        if (options_.output && event.name == "shell.init")
            watch("guest.output", &Follower::on_output);
        if (waits_exec_ && options_.wait_event.substr(exec_prefix.size()) == event.name) {
            stop_watching(flux_, exec_stream_);
            stop_watching_job();
        }
    }

    void on_output(const Event& event) {
        if (const Result<void> printed = printer_.print(event, submitted_); !printed)
            fmt::print(options_.err, "{}: {}\n", to_f58(id_), printed.error().text());
    }

    void show(std::string_view log, const Event& event) {
        fmt::print(options_.err, "{}: {:.3f}s: {}.{}{}{}\n", to_f58(id_),
                   event.timestamp - submitted_, log, event.name, event.context.empty() ? "" : " ",
                   event.context.empty() ? "" : dump_json(event.context));
    }

    Handle& flux_;
    JobId id_;
    FollowOptions options_;
    std::function<void(int)> on_end_;
    OutputPrinter printer_;
    const bool waits_exec_;
    Matchtag job_stream_ = 0, exec_stream_ = 0;
    int open_streams_ = 0, exit_code_ = 0;
    double submitted_ = 0;
    bool fatal_ = false, seen_enough_ = false;
};

}  // namespace

void follow_job(Handle& flux, JobId id, FollowOptions options, std::function<void(int)> on_end) {
    std::make_shared<Follower>(flux, id, std::move(options), std::move(on_end))->start();
}

}  // namespace sluice
