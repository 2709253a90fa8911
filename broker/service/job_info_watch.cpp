// job-info.eventlog-watch: a job's log as it grows (wire.md 2.4).
//
//     reading --all of the stored log is sent--> live --slow, or lines are held--> reading
//
// A watch that is live is told each append. One that reads gets the log from the store, part by
// part, and its end from there too. So memory is bounded: a client that confirms has at most a
// window of lines that it has not confirmed; one that does not, what its broker calls slow.
#include <algorithm>

#include "broker/service/job_info.hpp"

namespace sluice {
namespace {

constexpr std::int64_t watch_waitcreate = 1, watch_initial_sentinel = 2;
constexpr std::size_t part_bytes = std::size_t{1} << 20;

bool is_guest(std::string_view path) { return path.starts_with("guest."); }

}  // namespace

void JobInfoService::eventlog_watch(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    Watch watch;
    watch.path = in.string("path");
    const std::int64_t flags = in.integer("flags");
    watch.confirms = in.boolean_or("confirm", false);
    if (!in) return request.fail(in.error());
    if (!request.streaming())
        return request.fail(
            fail(EPROTO, "eventlog-watch request rejected without streaming RPC flag"));
    if (flags & ~(watch_waitcreate | watch_initial_sentinel))
        return request.fail(fail(EPROTO, "eventlog-watch request rejected with invalid flag"));
    if (const auto allowed = check(request, pipeline_.table().find(id)); !allowed)
        return request.fail(Error{allowed.error().errnum()});  // clients switch on the number
    watch.number = next_number_++;
    watch.wait_create = flags & watch_waitcreate;
    watch.sentinel = flags & watch_initial_sentinel;
    Watches& watches = watches_[id];
    watches.add(std::move(request), std::move(watch));
    read_past(id, watches.entries().back());
}

bool JobInfoService::has_enough(const Watches::Entry& entry) const {
    if (entry.state.confirms) return entry.state.unconfirmed_bytes > window_bytes;
    return slow(entry.request);
}

void JobInfoService::on_client_pace(const Request& request, bool is_slow) {
    if (is_slow) return;
    for (auto& [id, streams] : watches_)
        for (auto& entry : streams.entries())
            if (entry.state.reading && entry.request.sender() == request.sender())
                read_past(id, entry);
    pass_on_all_held();
}

/// Asks the store for what comes next, unless the client has enough to take already.
void JobInfoService::read_past(JobId id, Watches::Entry& entry) {
    Watch& watch = entry.state;
    if (watch.asked || has_enough(entry)) return;
    watch.asked = true;
    pipeline_.flush();
    const Job* job = pipeline_.table().find(id);
    watch.over = !job || job->inactive();
    watch.guest_over = watch.over || (job->active && job->active->exec_done);
    pipeline_.store().read_log_part(
        id, watch.path, watch.place, part_bytes,
        [this, id, number = watch.number](const auto& part) { on_past(number, id, part); });
}

/// What is committed after the last part was read comes through on_append.
void JobInfoService::on_past(std::uint64_t number, JobId id, const Result<LogPart>& part) {
    const auto streams = watches_.find(id);
    if (streams == watches_.end()) return;
    auto& entries = streams->second.entries();
    const auto found =
        std::ranges::find_if(entries, [&](const auto& it) { return it.state.number == number; });
    if (found == entries.end()) return;
    const Request request = found->request;
    Watch& watch = found->state;
    watch.asked = false;
    if (part) {
        watch.place = part->next;
        send_lines(request, watch, part->data);
        if (part->more) return read_past(id, *found);
    }
    watch.reading = false;
    const Job* job = pipeline_.table().find(id);
    const bool log = watch.place.seq > 0, guest = is_guest(watch.path);
    if (std::exchange(watch.sentinel, false)) request.respond();
    std::optional<Error> end;
    if (watch.path == main_log) {
        if (log && watch.over) end = Error{ENODATA};
    } else if ((guest && watch.guest_over) || watch.over ||
               (!guest && !watch.wait_create && !log)) {
        const bool never_ran = guest && (!job || job->t_run == 0);
        end = log || never_ran ? Error{ENODATA} : Error{ENOENT};
    }
    if (end) {
        entries.erase(found);
        forget_empty(id);
        request.fail(*end);
    }
    pass_on_held(id);
}

void JobInfoService::send_lines(const Request& request, Watch& watch, std::string_view lines) {
    watch.seen = watch.seen || !lines.empty();
    watch.unconfirmed_bytes += lines.size();
    while (!lines.empty()) {
        const auto end = std::min(lines.find('\n'), lines.size() - 1) + 1;
        request.respond(JsonObject{{"event", lines.substr(0, end)}});
        lines.remove_prefix(end);
    }
}

void JobInfoService::on_append(const StoreBatch::Append& append) {
    const auto streams = watches_.find(append.id);
    if (streams == watches_.end()) return;
    for (auto& entry : streams->second.entries()) {
        Watch& watch = entry.state;
        if (!watch.live() || watch.path != append.path) continue;
        ++watch.place.skip;
        send_lines(entry.request, watch, append.data);
        watch.reading = has_enough(entry);
    }
}

void JobInfoService::pass_on(JobId id, std::string path, std::string lines,
                             std::function<void(bool)> done) {
    held_[id].push_back({std::move(path), std::move(lines), std::move(done)});
    pass_on_held(id);
}

void JobInfoService::pass_on_held(JobId id) {
    const auto held = held_.find(id);
    if (held == held_.end()) return;
    const auto streams = watches_.find(id);
    const auto tell = [&](const auto& what) {
        if (streams != watches_.end())
            for (auto& entry : streams->second.entries()) what(entry);
    };
    while (!held->second.empty()) {
        const std::string& path = held->second.front().path;
        bool ready = true, watched = false;
        tell([&](const auto& it) {
            if (it.state.path == path && (it.state.reading || has_enough(it))) ready = false;
        });
        // What is appended meanwhile must not overtake what is held.
        tell([&](auto& it) {
            if (!ready && it.state.path == path) it.state.held_back = true;
        });
        if (!ready) return;
        const Held next = std::move(held->second.front());
        held->second.pop_front();
        tell([&](auto& it) {
            if (it.state.path != next.path) return;
            send_lines(it.request, it.state, next.lines);
            watched = true;
        });
        next.done(watched);
    }
    held_.erase(held);
    tell([&](auto& it) {
        if (!std::exchange(it.state.held_back, false)) return;
        it.state.reading = true;
        read_past(id, it);
    });
}

void JobInfoService::pass_on_all_held() {
    std::vector<JobId> ids;
    for (const auto& [id, held] : held_) ids.push_back(id);
    for (const JobId id : ids) pass_on_held(id);
}

void JobInfoService::end_guest_watches(JobId id, bool ran) {
    const auto streams = watches_.find(id);
    if (streams == watches_.end()) return;
    streams->second.remove_if([&](const Watches::Entry& it) {
        if (!it.state.live() || !is_guest(it.state.path)) return false;
        it.request.fail(Error{ran && !it.state.seen ? ENOENT : ENODATA});
        return true;
    });
    forget_empty(id);
}

/// The job is over. A watch that still reads finds its end itself.
void JobInfoService::end_watches(JobId id) {
    const auto streams = watches_.find(id);
    if (streams == watches_.end()) return;
    streams->second.remove_if([](const Watches::Entry& it) {
        if (!it.state.live()) return false;
        it.request.end_stream();
        return true;
    });
    forget_empty(id);
}

void JobInfoService::forget_empty(JobId id) {
    const auto streams = watches_.find(id);
    if (streams != watches_.end() && streams->second.empty()) watches_.erase(streams);
}

void JobInfoService::eventlog_watch_cancel(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t matchtag = in.integer("matchtag");
    if (!in) return;
    for (auto it = watches_.begin(); it != watches_.end();) {
        it->second.cancel(request, matchtag);
        it = it->second.empty() ? watches_.erase(it) : std::next(it);
    }
    pass_on_all_held();
}

/// The client of a watch that confirms has taken `bytes` of lines.
void JobInfoService::eventlog_watch_ack(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t matchtag = in.integer("matchtag"), bytes = in.integer("bytes");
    if (!in || bytes < 0) return;
    for (auto& [id, streams] : watches_) {
        for (auto& entry : streams.entries()) {
            Watch& watch = entry.state;
            if (entry.request.sender() != request.sender() ||
                entry.request.matchtag() != static_cast<Matchtag>(matchtag))
                continue;
            watch.unconfirmed_bytes -=
                std::min(watch.unconfirmed_bytes, static_cast<std::size_t>(bytes));
            if (watch.reading) read_past(id, entry);
            return pass_on_held(id);
        }
    }
}

void JobInfoService::on_disconnect(const Request& request) {
    for (auto& [id, streams] : watches_) streams.disconnect(request.sender());
    for (auto& [id, streams] : updates_) streams.disconnect(request.sender());
    std::erase_if(watches_, [](const auto& entry) { return entry.second.empty(); });
    std::erase_if(updates_, [](const auto& entry) { return entry.second.empty(); });
    pass_on_all_held();
}

}  // namespace sluice
