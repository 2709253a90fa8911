#include "broker/service/job_info.hpp"

#include <algorithm>

#include "base/rfc/fluid.hpp"
#include "base/rfc/treeobj.hpp"
#include "broker/service/job_lookup.hpp"

namespace sluice {

const RpcTable<JobInfoService> JobInfoService::rpcs{
    {"lookup", Caller::user, Body::json, &JobInfoService::lookup},
    {"update-lookup", Caller::user, Body::json, &JobInfoService::update_lookup},
    {"eventlog-watch", Caller::user, Body::json, &JobInfoService::eventlog_watch},
    {"eventlog-watch-cancel", Caller::user, Body::json, &JobInfoService::eventlog_watch_cancel},
    {"eventlog-watch-ack", Caller::user, Body::json, &JobInfoService::eventlog_watch_ack},
    {"update-watch", Caller::user, Body::json, &JobInfoService::update_watch},
    {"update-watch-cancel", Caller::user, Body::json, &JobInfoService::update_watch_cancel},
};

namespace {

constexpr std::int64_t lookup_json_decode = 1, lookup_current = 2;
constexpr std::size_t purged_ids_max = 65536;

JobId read_id(JsonReader& in) { return JobId{static_cast<std::uint64_t>(in.integer("id"))}; }

bool is_data_key(std::string_view key) { return key == "J" || key == "jobspec" || key == "R"; }

/// One lookup under way: the keys are answered in turn, each may need the store.
struct Lookup : std::enable_shared_from_this<Lookup> {
    Lookup(JobPipeline& p, RpcClient& kvs, Request r)
        : pipeline(p), rpc(kvs), request(std::move(r)) {}
    JobPipeline& pipeline;
    RpcClient& rpc;
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
        if (!*log) return ask_kvs(at);
        answer[keys[at]] = **log;
        next(at + 1);
    }
    /// What is none of ours may have been put into the KVS, by the job or for it.
    void ask_kvs(std::size_t at) {
        constexpr std::string_view guest = "guest.";
        const std::string& key = keys[at];
        const Job* running = pipeline.table().find(id);
        const bool in_guest =
            running && running->state == JobState::run && key.starts_with(guest);
        JsonObject query{{"flags", 0}};
        query["namespace"] = in_guest ? fmt::format("job-{}", id) : "primary";
        query["key"] = in_guest ? key.substr(guest.size()) : "job." + to_dothex(id) + "." + key;
        rpc.call("kvs.lookup", query, {}, [self = shared_from_this(), at](const Reply& reply) {
            const auto answered = reply.json();
            const Json* object = answered ? answered->if_contains("val") : nullptr;
            const auto value = object && object->is_object()
                                   ? decode_treeobj(object->get_object())
                                   : Result<TreeObject>{Error{ENOENT}};
            if (!value || value->kind != TreeObject::Kind::val)
                return self->missing(self->keys[at]);
            self->answer[self->keys[at]] = value->value;
            self->next(at + 1);
        });
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
    : RpcService(pipeline.context().router, "job-info"),
      pipeline_(pipeline),
      rpc_(pipeline.context().router) {
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
    auto lookup = std::make_shared<Lookup>(pipeline_, rpc_, request);
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
        end_watches(entry.id);
        if (const auto updates = updates_.extract(entry.id); !updates.empty())
            for (const auto& it : updates.mapped().entries()) it.request.end_stream();
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

}  // namespace sluice
