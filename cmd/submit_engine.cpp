#include "cmd/submit_engine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/rfc/fluid.hpp"

namespace sluice {
namespace {

// Enough to keep the broker busy; more would only take memory on both sides.
constexpr std::size_t in_flight_max = 512;

bool wants_following(const SubmitOptions& options) {
    return options.wait || options.watch || options.last("wait-event").has_value();
}

}  // namespace

SubmitEngine::SubmitEngine(SubmissionLine& line, Handle& flux)
    : line_(line), flux_(flux), context_(process_context()) {}

SubmitEngine::~SubmitEngine() {
    for (const auto& [path, file] : logs_)
        if (file) std::fclose(file);
}

int SubmitEngine::run(Next next, std::size_t total) {
    next_ = std::move(next);
    if (line_.options.progress && ::isatty(STDOUT_FILENO))
        progress_.emplace(total, line_.options.jps);
    else if (line_.options.progress)
        plain_warning("stdout is not a tty. Ignoring --progress option");
    fill();
    const bool connected =
        flux_.run_until([this] { return exhausted_ && in_flight_ == 0 && following_ == 0; });
    if (progress_) progress_->end();
    if (connected) return exit_code_;
    return line_.cli.error("lost connection to Flux");
}

void SubmitEngine::fill() {
    while (!exhausted_ && in_flight_ < in_flight_max) {
        const Result<std::optional<PlannedJob>> job = next_();
        if (!job) {
            raise_exit_code(1);
            exhausted_ = true;
        } else if (!*job) {
            exhausted_ = true;
        } else {
            submit(**job);
        }
    }
}

Result<SubmitRequest> SubmitEngine::request_for(const PlannedJob& job) {
    if (auto known = template_.request_for(job)) return *std::move(known);
    SLUICE_TRY(SubmitRequest request, build_submit_request(job.options, line_.verb,
                                                           {.command = job.command}, context_));
    template_.remember(job, request);
    return request;
}

void SubmitEngine::submit(const PlannedJob& job) {
    const Result<SubmitRequest> request = request_for(job);
    if (!request) {
        raise_exit_code(line_.cli.error(request.error().text()));
        exhausted_ = true;  // the other copies would only repeat it
        return;
    }
    ++in_flight_;
    const Sinks sinks = sinks_of(job.options);
    send_submit(flux_, *request, [this, job, sinks](Result<JobId> id) {
        --in_flight_;
        on_submitted(job, id, sinks);
        fill();
    });
}

void SubmitEngine::on_submitted(const PlannedJob& job, const Result<JobId>& id, Sinks sinks) {
    if (progress_) progress_->submitted(id.has_value());
    if (!id) {
        const std::string copy = job.copy ? fmt::format("cc={}: ", *job.copy) : "";
        fmt::print(sinks.err, "{}[Errno {}] {}\n", copy, id.error().errnum(), id.error().text());
        raise_exit_code(1);
        return;
    }
    if (!job.options.quiet) fmt::print(sinks.out, "{}\n", to_f58(*id));
    if (wants_following(job.options)) follow(job, *id, sinks);
}

void SubmitEngine::follow(const PlannedJob& job, JobId id, Sinks sinks) {
    FollowOptions options;
    options.output = job.options.watch;
    options.wait_event = job.options.last_or("wait-event", "clean");
    options.label = job.options.label_io;
    options.verbose = job.options.verbose;
    options.out = sinks.out;
    options.err = sinks.err;
    if (progress_) options.on_start = [this] { progress_->started(); };
    ++following_;
    follow_job(flux_, id, options, [this](int code) {
        --following_;
        raise_exit_code(code);
        if (progress_) progress_->ended(code == 0);
    });
}

SubmitEngine::Sinks SubmitEngine::sinks_of(const SubmitOptions& options) {
    Sinks sinks{stdout, stderr};
    if (const auto path = options.last("log")) {
        sinks.out = log_file(*path, stdout);
        sinks.err = log_file(*path, stderr);
    }
    if (const auto path = options.last("log-stderr")) sinks.err = log_file(*path, stderr);
    return sinks;
}

std::FILE* SubmitEngine::log_file(const std::string& path, std::FILE* fallback) {
    const auto [entry, fresh] = logs_.try_emplace(path, nullptr);
    if (fresh) {
        entry->second = std::fopen(path.c_str(), "we");
        if (!entry->second)
            line_.cli.error(fmt::format("{}: '{}'", std::strerror(errno), path));
        else
            std::setvbuf(entry->second, nullptr, _IOLBF, BUFSIZ);
    }
    return entry->second ? entry->second : fallback;
}

}  // namespace sluice
