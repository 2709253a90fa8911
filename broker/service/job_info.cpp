#include "broker/service/job_info.hpp"

#include <algorithm>

#include "broker/service/job_lookup.hpp"

namespace sluice {

const RpcTable<JobInfoService> JobInfoService::rpcs{
    {"lookup", Caller::user, Body::json, &JobInfoService::lookup},
    {"update-lookup", Caller::user, Body::json, &JobInfoService::update_lookup},
    {"eventlog-watch", Caller::user, Body::json, &JobInfoService::eventlog_watch},
    {"eventlog-watch-cancel", Caller::user, Body::json, &JobInfoService::eventlog_watch_cancel},
    {"update-watch", Caller::user, Body::json, &JobInfoService::update_watch},
    {"update-watch-cancel", Caller::user, Body::json, &JobInfoService::update_watch_cancel},
};

namespace {

constexpr std::int64_t lookup_json_decode = 1, lookup_current = 2;
constexpr std::size_t purged_ids_max = 65536;
constexpr std::int64_t watch_waitcreate = 1, watch_initial_sentinel = 2;

JobId read_id(JsonReader& in) { return JobId{static_cast<std::uint64_t>(in.integer("id"))}; }

bool is_data_key(std::string_view key) { return key == "J" || key == "jobspec" || key == "R"; }
bool is_guest(std::string_view path) { return path.starts_with("guest."); }

/// One lookup under way: the keys are answered in turn, each may need the store.
struct Lookup : std::enable_shared_from_this<Lookup> {
    Lookup(JobPipeline& p, Request r) : pipeline(p), request(std::move(r)) {}
    JobPipeline& pipeline;
    Request request;
    JobId id;
    std::vector<std::string> keys;
    std::int64_t flags = 0;
    StoredJob job;
    std::string eventlog;
    JsonObject answer;

    void next(std::size_t at) {
        while (at < keys.size() && is_data_key(keys[at])) {
            if (!add_data(keys[at])) return missing(keys[at]);
            ++at;
        }
        if (at == keys.size()) return request.respond(answer);
        pipeline.store().read_log(id, keys[at],
                                  [self = shared_from_this(), at](const auto& log) {
                                      self->on_log(at, log);
                                  });
    }
    void on_log(std::size_t at, const Result<std::optional<std::string>>& log) {
        if (!log) return request.fail(log.error());
        if (!*log) return missing(keys[at]);
        answer[keys[at]] = **log;
        next(at + 1);
    }
    bool add_data(const std::string& key) {
        const bool current = flags & lookup_current;
        if ((flags & lookup_json_decode) && key != "J") {
            auto object = stored_object(job, key, eventlog, current);
            if (object) answer[key] = *std::move(object);
            return object.has_value();
        }
        auto text = stored_text(job, key, eventlog, current);
        if (text) answer[key] = *std::move(text);
        return text.has_value();
    }
    void missing(const std::string& key) {
        request.fail(fail(ENOENT, "{}: key not found", key));
    }
};

void start_lookup(const std::shared_ptr<Lookup>& lookup) {
    lookup->answer["id"] = lookup->id.value;
    lookup->pipeline.flush();
    lookup->pipeline.store().read_job(lookup->id, [lookup](const auto& job) {
        if (!job) return lookup->request.fail(job.error());
        if (!*job) return lookup->request.fail(fail(ENOENT, "invalid job id"));
        lookup->job = **job;
    });
    lookup->pipeline.store().read_log(lookup->id, main_log, [lookup](const auto& log) {
        if (lookup->job.jobspec.empty()) return;  // answered above
        lookup->eventlog = log ? log->value_or("") : std::string{};
        lookup->next(0);
    });
}

}  // namespace

JobInfoService::JobInfoService(JobPipeline& pipeline)
    : RpcService(pipeline.context().router, "job-info"), pipeline_(pipeline) {
    pipeline_.on_append.add([this](const StoreBatch::Append& append) { on_append(append); });
    pipeline_.on_journal.add([this](const JournalEntry& entry) { on_entry(entry); });
    pipeline_.on_purge.add([this](const std::vector<JobId>& ids) {
        if (purged_.size() > purged_ids_max) purged_.clear();
        purged_.insert(ids.begin(), ids.end());
    });
}

Result<void> JobInfoService::check(const Request& request, const Job* job) const {
    if (!job) return fail(ENOENT, "invalid job id");
    if (request.privileged() || request.userid() == job->userid) return {};
    return fail(EPERM, "access is restricted to job/instance owner");
}

void JobInfoService::lookup(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const JsonArray& keys = in.array("keys");
    const std::int64_t flags = in.integer("flags");
    if (!in) return request.fail(in.error());
    if (flags & ~(lookup_json_decode | lookup_current))
        return request.fail(fail(EPROTO, "lookup request rejected with invalid flag"));
    if (purged_.contains(id) && !keys.empty() && keys[0].is_string())
        return request.fail(
            fail(ENOENT, "{}: key not found", std::string_view{keys[0].as_string()}));
    const auto allowed = check(request, pipeline_.table().find(id));
    if (!allowed) return request.fail(allowed.error());
    auto lookup = std::make_shared<Lookup>(pipeline_, request);
    lookup->id = id;
    lookup->flags = flags;
    for (const Json& key : keys) {
        if (!key.is_string())
            return request.fail(fail(EPROTO, "keys: found {}, want strings", dump_json(key)));
        lookup->keys.emplace_back(key.as_string());
    }
    start_lookup(lookup);
}

void JobInfoService::update_lookup(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const std::string key = in.string("key");
    if (!in) return request.fail(in.error());
    const auto allowed = check(request, pipeline_.table().find(id));
    if (!allowed) return request.fail(allowed.error());
    send_update(request, key, id);
}

void JobInfoService::eventlog_watch(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    Watch watch;
    watch.path = in.string("path");
    const std::int64_t flags = in.integer("flags");
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
    pipeline_.flush();
    const Job* job = pipeline_.table().find(id);
    watch.over = job->inactive();
    watch.guest_over = watch.over || (job->active && job->active->exec_done);
    pipeline_.store().read_log(id, watch.path, [this, id, number = watch.number](const auto& log) {
        on_past(number, id, log ? *log : std::nullopt);
    });
    watches_[id].add(std::move(request), std::move(watch));
}

/// What the store had when the watch began; what is committed later comes through on_append.
void JobInfoService::on_past(std::uint64_t number, JobId id,
                             const std::optional<std::string>& log) {
    const auto streams = watches_.find(id);
    if (streams == watches_.end()) return;
    auto& entries = streams->second.entries();
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.state.number == number;
    });
    if (found == entries.end()) return;
    const Request request = found->request;
    Watch& watch = found->state;
    watch.reading = false;
    const Job* job = pipeline_.table().find(id);
    if (log) send_lines(request, watch, *log);
    const bool guest = is_guest(watch.path);
    if (watch.sentinel) request.respond();
    std::optional<Error> end;
    if (watch.path == main_log) {
        if (log && watch.over) end = Error{ENODATA};
    } else if ((guest && watch.guest_over) || watch.over ||
               (!guest && !watch.wait_create && !log)) {
        const bool never_ran = guest && (!job || job->t_run == 0);
        end = log || never_ran ? Error{ENODATA} : Error{ENOENT};
    }
    if (!end) return;
    entries.erase(found);
    forget_empty(id);
    request.fail(*end);
}

void JobInfoService::send_lines(const Request& request, Watch& watch, std::string_view lines) {
    watch.seen = watch.seen || !lines.empty();
    while (!lines.empty()) {
        const auto end = std::min(lines.find('\n'), lines.size() - 1) + 1;
        request.respond(JsonObject{{"event", lines.substr(0, end)}});
        lines.remove_prefix(end);
    }
}

void JobInfoService::on_append(const StoreBatch::Append& append) {
    const auto streams = watches_.find(append.id);
    if (streams == watches_.end()) return;
    for (auto& [request, watch] : streams->second.entries())
        if (!watch.reading && watch.path == append.path) send_lines(request, watch, append.data);
}

void JobInfoService::on_entry(const JournalEntry& entry) {
    const std::string& name = entry.event.name;
    if (name == "release") {
        const Json* final = entry.event.context.if_contains("final");
        if (final && final->is_bool() && final->as_bool()) end_guest_watches(entry.id, true);
    } else if (name == "jobspec-update" || name == "resource-update") {
        const auto streams = updates_.find(entry.id);
        if (streams == updates_.end()) return;
        const std::string_view key = name == "jobspec-update" ? "jobspec" : "R";
        for (const auto& [request, update] : streams->second.entries())
            if (update.key == key) send_update(request, update.key, entry.id);
    } else if (name == "clean") {
        end_guest_watches(entry.id, false);
        if (const auto streams = watches_.find(entry.id); streams != watches_.end()) {
            streams->second.remove_if([](const Watches::Entry& it) {
                if (it.state.reading) return false;  // its end comes with the past
                it.request.end_stream();
                return true;
            });
            forget_empty(entry.id);
        }
        if (const auto updates = updates_.extract(entry.id); !updates.empty())
            for (const auto& it : updates.mapped().entries()) it.request.end_stream();
    }
}

void JobInfoService::end_guest_watches(JobId id, bool ran) {
    const auto streams = watches_.find(id);
    if (streams == watches_.end()) return;
    streams->second.remove_if([&](const Watches::Entry& it) {
        if (it.state.reading || !is_guest(it.state.path)) return false;
        it.request.fail(Error{ran && !it.state.seen ? ENOENT : ENODATA});
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
}

void JobInfoService::update_watch(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id = read_id(in);
    const std::string key = in.string("key");
    if (!in) return request.fail(in.error());
    if (!request.streaming())
        return request.fail(
            fail(EPROTO, "update-watch request rejected without streaming RPC flag"));
    if (key != "R" && key != "jobspec")
        return request.fail(fail(EINVAL, "job-info.update-watch: unsupported key {}", key));
    const Job* job = pipeline_.table().find(id);
    if (const auto allowed = check(request, job); !allowed) return request.fail(allowed.error());
    send_update(request, key, id);
    if (!job->inactive()) updates_[id].add(std::move(request), {key});
}

void JobInfoService::update_watch_cancel(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t matchtag = in.integer("matchtag");
    if (!in) return;
    for (auto& [id, streams] : updates_) streams.cancel(request, matchtag);
    std::erase_if(updates_, [](const auto& entry) { return entry.second.empty(); });
}

/// The current value of `key`; ends the stream of a job that is over.
void JobInfoService::send_update(const Request& request, const std::string& key, JobId id) {
    pipeline_.flush();
    auto stored = std::make_shared<std::optional<StoredJob>>();
    pipeline_.store().read_job(id, [stored](const auto& job) {
        if (job) *stored = *job;
    });
    pipeline_.store().read_log(id, main_log, [this, request, key, id, stored](const auto& log) {
        const std::string eventlog = log ? log->value_or("") : std::string{};
        const auto value = *stored ? stored_object(**stored, key, eventlog, true) : std::nullopt;
        if (!value) return request.fail(fail(ENOENT, "{}: key not found", key));
        JsonObject answer;
        answer[key] = *value;
        request.respond(answer);
        const Job* job = pipeline_.table().find(id);
        if (request.streaming() && (!job || job->inactive())) request.end_stream();
    });
}

void JobInfoService::on_disconnect(const Request& request) {
    for (auto& [id, streams] : watches_) streams.disconnect(request.sender());
    for (auto& [id, streams] : updates_) streams.disconnect(request.sender());
    std::erase_if(watches_, [](const auto& entry) { return entry.second.empty(); });
    std::erase_if(updates_, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace sluice
