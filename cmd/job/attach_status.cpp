#include "cmd/job/attach_status.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>

namespace sluice {
namespace {

constexpr std::chrono::seconds first_after{2}, step{1};  // unless the status was asked for

}  // namespace

std::string_view wait_reason_after(std::string_view event) {
    if (event == "submit") return "submitted";
    if (event == "validate") return "resolving dependencies";
    if (event == "depend") return "waiting for priority assignment";
    if (event == "priority") return "waiting for resources";
    if (event == "alloc") return "starting";
    if (event == "prolog-start") return "waiting for prolog";
    if (event == "prolog-finish") return "starting";
    if (event == "start") return "started";
    if (event == "exception") return "canceling due to exception";
    return "";
}

class AttachStatus::State : public std::enable_shared_from_this<State> {
  public:
    State(Handle& flux, JobId id, const AttachOptions& options)
        : flux_(flux),
          id_(id),
          shown_id_(options.shown_id),
          timer_(flux.io()),
          shows_all_(options.show_status) {}

    void start() { wait(shows_all_ ? step : first_after); }

    void set_reason(std::string_view reason) {
        if (reason.empty()) return;
        reason_ = reason;
        queue_note_.clear();
        if (shows_all_) draw_line();
        if (reason == "waiting for resources") ask_queue();
    }

    void end() {
        over_ = true;
        if (shows_all_ && std::exchange(shown_, false)) fmt::print(stderr, "\n");
        clear();
        timer_.cancel();
    }

    void clear() {
        if (std::exchange(shown_, false)) fmt::print(stderr, "\r\033[K");
    }

  private:
    void wait(std::chrono::seconds time) {
        timer_.expires_after(time);
        timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
            const auto self = weak.lock();
            if (!error && self) self->draw();
        });
    }

    void draw() {
        if (over_) return;
        draw_line();
        wait(step);
    }

    void draw_line() {
        if (reason_.empty()) return;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::steady_clock::now() - begun_)
                                 .count();
        clear();
        fmt::print(stderr, "flux-job: {} {}{}   {:02}:{:02}:{:02}", shown_id_, reason_,
                   queue_note_, seconds / 3600, seconds / 60 % 60, seconds % 60);
        std::fflush(stderr);
        shown_ = true;
    }

    /// A stopped queue explains the wait.
    void ask_queue() {
        JsonObject payload;
        payload["id"] = id_.value;
        payload["attrs"] = JsonArray{"queue"};
        flux_.send("job-list.list-id", payload, {}, [weak = weak_from_this()](const Reply& reply) {
            const auto self = weak.lock();
            const Result<JsonObject> answer = reply.json();
            if (!self || !answer) return;
            const Json* queue = find_path(*answer, "job.queue");
            self->ask_queue_status(queue && queue->is_string() ? std::string(queue->get_string())
                                                               : "");
        });
    }

    void ask_queue_status(const std::string& queue) {
        JsonObject payload;
        if (!queue.empty()) payload["name"] = queue;
        flux_.send("job-manager.queue-status", payload, RpcOptions{.nodeid = 0},
                   [weak = weak_from_this(), queue](const Reply& reply) {
                       const auto self = weak.lock();
                       const Result<JsonObject> answer = reply.json();
                       if (!self || !answer) return;
                       const Json* start = answer->if_contains("start");
                       if (start && start->is_bool() && !start->get_bool())
                           self->queue_note_ = fmt::format(
                               " ({} queue stopped)", queue.empty() ? "default" : queue);
                   });
    }

    Handle& flux_;
    JobId id_;
    std::string shown_id_, queue_note_;
    std::string_view reason_;
    boost::asio::steady_timer timer_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    const bool shows_all_;
    bool shown_ = false, over_ = false;
};

AttachStatus::AttachStatus(Handle& flux, JobId id, const AttachOptions& options) {
    const bool wanted = options.show_status || ::isatty(STDERR_FILENO);
    if (!wanted || options.show_events || options.quiet) return;
    state_ = std::make_shared<State>(flux, id, options);
    state_->start();
}

AttachStatus::~AttachStatus() = default;

void AttachStatus::on_job_event(const Event& event) {
    if (!state_) return;
    if (event.name == "finish" || event.name == "clean") return state_->end();
    state_->set_reason(wait_reason_after(event.name));
}

void AttachStatus::on_exec_event(const Event& event) {
    if (!state_ || event.name != "shell.start") return;
    state_->set_reason("started");
    state_->end();
}

void AttachStatus::clear() {
    if (state_) state_->clear();
}

}  // namespace sluice
