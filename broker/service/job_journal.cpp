#include "broker/service/job_journal.hpp"

#include <algorithm>

namespace sluice {

JobJournal::JobJournal(JobPipeline& pipeline) : pipeline_(pipeline) {
    pipeline_.on_journal.add([this](const JournalEntry& entry) { on_entry(entry); });
}

Result<JobJournal::Filter> JobJournal::read_filter(const JsonObject& payload) {
    JsonReader in{payload};
    Filter filter;
    const auto names = [](const JsonObject* object) -> std::optional<std::set<std::string>> {
        if (!object) return std::nullopt;
        std::set<std::string> set;
        for (const auto& [name, value] : *object) set.emplace(name);
        return set;
    };
    filter.allow = names(in.maybe_object("allow"));
    filter.deny = names(in.maybe_object("deny"));
    if (!in) return in.error();
    return filter;
}

void JobJournal::count_listeners() { pipeline_.journal_wanted = !listeners_.empty(); }

void JobJournal::open(Request request, const JsonObject& payload) {
    if (!request.streaming())
        return request.fail(fail(EPROTO, "job-manager.events requires streaming RPC flag"));
    auto filter = read_filter(payload);
    if (!filter) return request.fail(filter.error());
    JsonReader in{payload};
    const bool full = in.boolean_or("full", false);
    Listener& listener = listeners_.add(std::move(request));
    listener.number = next_number_++;
    listener.filter = *std::move(filter);
    count_listeners();
    Streams<Listener>::Entry& entry = listeners_.entries().back();
    if (full) return read_past(entry);
    send_sentinel(entry.request);
}

/// The store answers in order: what is committed before a job's log is read is in that log, what
/// comes after is live.
void JobJournal::read_past(Streams<Listener>::Entry& entry) {
    Listener& listener = entry.state;
    const auto add = [&](const Job& job) { listener.unread.insert(job.id); };
    for (const Job* job : pipeline_.table().inactive()) add(*job);
    for (const auto& [id, job] : pipeline_.table().active()) add(*job);
    if (listener.unread.empty()) return send_sentinel(entry.request);
    listener.reading = true;
    pipeline_.flush();
    for (const JobId id : listener.unread) {
        auto stored = std::make_shared<std::optional<StoredJob>>();
        pipeline_.store().read_job(id, [stored](const auto& job) {
            if (job) *stored = *job;
        });
        pipeline_.store().read_log(
            id, main_log, [this, number = listener.number, id, stored](const auto& log) {
                on_past(number, id, *stored ? &**stored : nullptr,
                        log ? log->value_or("") : std::string{});
            });
    }
}

void JobJournal::on_past(std::uint64_t number, JobId id, const StoredJob* job,
                         const std::string& log) {
    auto& entries = listeners_.entries();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.state.number == number;
    });
    if (found == entries.end()) return;
    Listener& listener = found->state;
    listener.unread.erase(id);
    const auto events = decode_eventlog(log);
    if (events) send_past(found->request, listener.filter, id, job, *events);
    if (!listener.unread.empty()) return;
    listener.reading = false;
    send_sentinel(found->request);
    for (const JournalEntry& entry : std::exchange(listener.live, {}))
        send(found->request, listener.filter, entry);
}

/// All of a job's past in one response.
void JobJournal::send_past(const Request& request, const Filter& filter, JobId id,
                           const StoredJob* job, const std::vector<Event>& events) {
    JsonArray passed;
    JsonObject payload{{"id", id.value}, {"events", JsonArray{}}};
    for (const Event& event : events) {
        if (!filter.passes(event.name)) continue;
        passed.emplace_back(event_to_json(event));
        if (job && event.name == "submit") {
            const auto updates = parse_json_object(job->updates);
            auto jobspec = updated_jobspec(job->jobspec, updates.value_or({}));
            if (!jobspec) continue;
            remove_environment(*jobspec);
            payload["jobspec"] = *std::move(jobspec);
        } else if (job && job->R && event.name == "alloc") {
            payload["R"] = parse_json_object(*job->R).value_or({});
        }
    }
    if (passed.empty()) return;
    payload["events"] = std::move(passed);
    request.respond(payload);
}

void JobJournal::on_entry(const JournalEntry& entry) {
    ++events_;
    for (auto& [request, listener] : listeners_.entries()) {
        if (!listener.reading) send(request, listener.filter, entry);
        else if (!listener.unread.contains(entry.id)) listener.live.push_back(entry);
    }
}

void JobJournal::send(const Request& request, const Filter& filter, const JournalEntry& entry) {
    if (!filter.passes(entry.event.name)) return;
    JsonArray events;
    events.emplace_back(event_to_json(entry.event));
    JsonObject payload{{"id", entry.id.value}, {"events", std::move(events)}};
    if (entry.jobspec) payload["jobspec"] = *entry.jobspec;
    if (entry.R) payload["R"] = *entry.R;
    request.respond(payload);
}

void JobJournal::send_sentinel(const Request& request) {
    request.respond(JsonObject{{"id", -1}, {"events", JsonArray{}}});
}

void JobJournal::cancel(const Request& request, std::int64_t matchtag) {
    listeners_.cancel(request, matchtag);
    count_listeners();
}

void JobJournal::disconnect(std::string_view sender) {
    listeners_.disconnect(sender);
    count_listeners();
}

}  // namespace sluice
