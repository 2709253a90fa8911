#include "shell/run/eventlog_writer.hpp"

namespace sluice::shell {

EventlogWriter::EventlogWriter(Handle& handle, JobId id, double batch_seconds)
    : handle_(handle),
      id_(id),
      batch_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(batch_seconds))),
      timer_(handle.io()) {}

void EventlogWriter::add(const std::string& path, const Event& event) {
    const std::string line = encode_event(event);
    waiting_[path] += line;
    waiting_bytes_ += line.size();
    if (waiting_bytes_ >= message_bytes) {
        flush();
    } else {
        schedule();
    }
}

void EventlogWriter::add(const std::string& path, const Event& event,
                         std::function<void(const Result<void>&)> done) {
    waiting_done_.push_back(std::move(done));
    add(path, event);
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
    if (waiting_.empty()) return;
    if (scheduled_) timer_.cancel();
    scheduled_ = false;
    last_flush_ = Clock::now();
    JsonObject logs, payload;
    for (auto& [path, lines] : waiting_) logs[path] = std::move(lines);
    waiting_.clear();
    payload["id"] = static_cast<std::int64_t>(id_.value);
    payload["logs"] = std::move(logs);
    const std::size_t bytes = std::exchange(waiting_bytes_, 0);
    unanswered_bytes_ += bytes;
    handle_.send("job-exec.append", payload, {.nodeid = 0},
                 [this, bytes, done = std::exchange(waiting_done_, {})](const Reply& reply) {
                     const bool was_congested = congested();
                     unanswered_bytes_ -= bytes;
                     const Result<void> result =
                         reply.ok() ? Result<void>{} : Result<void>{reply.error()};
                     for (const auto& callback : done) callback(result);
                     if (was_congested && !congested() && relief_) relief_();
                 });
}

}  // namespace sluice::shell
