#include "shell/run/eventlog_writer.hpp"

namespace sluice::shell {

EventlogWriter::EventlogWriter(Handle& handle, JobId id, double batch_seconds)
    : handle_(handle),
      id_(id),
      batch_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(batch_seconds))),
      timer_(handle.io()) {}

void EventlogWriter::add(const std::string& path, const Event& event) {
    add_lines(path, encode_event(event));
}

void EventlogWriter::add_lines(const std::string& path, std::string_view lines) {
    flush_passing();  // the order of lines is kept
    waiting_[path] += lines;
    waiting_bytes_ += lines.size();
    if (waiting_bytes_ >= message_bytes) {
        flush();
    } else {
        schedule();
    }
}

void EventlogWriter::pass_on(const std::string& path, std::string_view lines,
                             std::function<void(bool)> done) {
    if (!waiting_.empty()) flush();
    if (path != passing_path_) flush_passing();
    passing_path_ = path;
    passing_ += lines;
    passing_done_.push_back(std::move(done));
    if (passing_.size() >= message_bytes) {
        flush_passing();
    } else {
        schedule();
    }
}

void EventlogWriter::schedule() {
    if (scheduled_) return;
    scheduled_ = true;
    timer_.expires_at(std::max(Clock::now() + pause, last_flush_ + batch_));
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) flush();
    });
}

void EventlogWriter::flush() {
    flush_passing();
    if (waiting_.empty()) return;
    if (scheduled_) timer_.cancel();
    scheduled_ = false;
    last_flush_ = Clock::now();
    JsonObject logs, payload;
    for (auto& [path, lines] : waiting_) logs[path] = std::move(lines);
    waiting_.clear();
    payload["logs"] = std::move(logs);
    send(std::move(payload), std::exchange(waiting_bytes_, 0), [](const Reply&) {});
}

void EventlogWriter::flush_passing() {
    if (passing_.empty()) return;
    JsonObject payload;
    const std::size_t bytes = passing_.size();
    payload["beyond"] = JsonObject{{passing_path_, std::exchange(passing_, {})}};
    send(std::move(payload), bytes,
         [done = std::exchange(passing_done_, {})](const Reply& reply) {
             const auto answer = reply.json();
             const bool watched = answer && JsonReader{*answer}.boolean_or("watched", false);
             for (const auto& callback : done) callback(watched);
         });
}

void EventlogWriter::send(JsonObject payload, std::size_t bytes,
                          std::function<void(const Reply&)> answered) {
    payload["id"] = static_cast<std::int64_t>(id_.value);
    unanswered_bytes_ += bytes;
    handle_.send("job-exec.append", payload, {.nodeid = 0},
                 [this, bytes, answered = std::move(answered)](const Reply& reply) {
                     const bool was_congested = congested();
                     unanswered_bytes_ -= bytes;
                     answered(reply);
                     if (was_congested && !congested() && relief_) relief_();
                 });
}

}  // namespace sluice::shell
