// job-manager requests about queues (wire.md 2.6): state, start and stop, drain and idle.
#include "broker/service/job_manager.hpp"

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

Result<Queues::Change> read_change(const JsonObject& payload, std::string_view on_key) {
    JsonReader in{payload};
    Queues::Change change;
    change.name = in.maybe_string("name");
    change.all = in.boolean("all");
    change.on = in.boolean(on_key);
    change.reason = in.string_or("reason", "");
    if (!in) return in.error();
    return change;
}

}  // namespace

void JobManagerService::queue_list(Request request, const JsonObject&) {
    JsonArray names;
    for (const std::string& name : pipeline_.queues().names()) names.emplace_back(name);
    request.respond(JsonObject{{"queues", std::move(names)}});
}

void JobManagerService::queue_status(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const auto name = in.maybe_string("name");
    if (!in) return request.fail(in.error());
    Result<JsonObject> status = pipeline_.queues().status(name);
    if (status && !pipeline_.scheduler().taken() && status->at("start") == true) {
        (*status)["start"] = false;
        (*status)["stop_reason"] = "Scheduler is offline";
    }
    request.respond(status);
}

void JobManagerService::queue_enable(Request request, const JsonObject& payload) {
    const auto change = read_change(payload, "enable");
    if (!change) return request.fail(change.error());
    if (const auto changed = pipeline_.enable_queue(*change); !changed)
        return request.fail(changed.error());
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::queue_start(Request request, const JsonObject& payload) {
    const auto change = read_change(payload, "start");
    if (!change) return request.fail(change.error());
    JsonReader in{payload};
    const bool checkpoint = !in.boolean_or("nocheckpoint", false);
    if (const auto changed = pipeline_.start_queue(*change, checkpoint); !changed)
        return request.fail(changed.error());
    pipeline_.after_commit([request] { request.respond(); });
}

void JobManagerService::sched_hello(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const bool partial_ok = in.boolean_or("partial-ok", false);
    if (!in) return request.fail(in.error());
    pipeline_.scheduler().hello(request, partial_ok);
}

void JobManagerService::sched_ready(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::string mode = in.string("mode");
    std::optional<std::size_t> limit;
    if (mode == "limited") limit = static_cast<std::size_t>(in.integer("limit"));
    if (!in) return request.fail(in.error());
    if (mode != "unlimited" && mode != "limited")
        return request.fail(fail(EPROTO, "mode: '{}' is not unlimited or limited", mode));
    if (limit && (*limit < 1 || *limit > INT32_MAX))
        return request.fail(fail(EPROTO, "limit: want a number of requests, 1 or more"));
    const Result<void> ready = pipeline_.scheduler().ready(request, limit);
    if (!ready) return request.fail(ready.error());
    const auto waits = [](const auto& entry) { return entry.second->state == JobState::sched; };
    const auto& active = table().active();
    request.respond({{"count", std::count_if(active.begin(), active.end(), waits)}});
}

void JobManagerService::alloc_query(Request request, const JsonObject&) {
    std::size_t queued = 0, pending = 0, running = 0;
    for (const auto& [id, job] : table().active()) {
        if (job->active->alloc != ActiveJob::Alloc::none) ++pending;
        else if (job->state == JobState::sched && job->priority > 0) ++queued;
        if (job->active->has_resources) ++running;
    }
    request.respond(JsonObject{
        {"queue_length", queued}, {"alloc_pending", pending}, {"running", running}});
}

void JobManagerService::drain(Request request, const JsonObject& payload) {
    add_queue_waiter(draining_, std::move(request), payload);
}

void JobManagerService::idle(Request request, const JsonObject& payload) {
    add_queue_waiter(idling_, std::move(request), payload);
}

/// RFC 33 has no queues here: {"queues":["a","b"]} is ours, clients without it wait for all.
void JobManagerService::add_queue_waiter(std::list<QueueWaiter>& to, Request request,
                                         const JsonObject& payload) {
    QueueWaiter waiter{.request = request, .queues = {}};
    if (const Json* names = payload.if_contains("queues")) {
        if (!names->is_array())
            return request.fail(fail(EPROTO, "queues: expected array of names"));
        for (const Json& name : names->get_array()) {
            if (!name.is_string())
                return request.fail(fail(EPROTO, "queues: expected array of names"));
            waiter.queues.emplace_back(name.get_string());
            if (const auto known = pipeline_.queues().status(waiter.queues.back()); !known)
                return request.fail(known.error());
        }
    }
    to.push_back(std::move(waiter));
    pipeline_.wake();
}

bool JobManagerService::QueueWaiter::watches(const Job& job) const {
    return queues.empty() || std::ranges::find(queues, job.queue.str()) != queues.end();
}

bool JobManagerService::is_drained(const QueueWaiter& waiter) {
    if (waiter.queues.empty()) return table().active_count() == 0;
    return std::ranges::none_of(table().active(),
                                [&](const auto& entry) { return waiter.watches(*entry.second); });
}

bool JobManagerService::is_idle(const QueueWaiter& waiter) {
    if (waiter.queues.empty() && table().any(job_states::running)) return false;
    return std::ranges::none_of(table().active(), [&](const auto& entry) {
        const Job& job = *entry.second;
        const bool busy = (job_states::running & static_cast<unsigned>(job.state)) != 0 ||
                          job.active->alloc != ActiveJob::Alloc::none;
        return busy && waiter.watches(job);
    });
}

/// Before each commit: whoever waits for the queues to empty is answered after it.
void JobManagerService::answer_waiting() {
    draining_.remove_if([this](QueueWaiter& waiter) {
        if (!is_drained(waiter)) return false;
        pipeline_.after_commit([request = std::move(waiter.request)] { request.respond(); });
        return true;
    });
    idling_.remove_if([this](QueueWaiter& waiter) {
        if (!is_idle(waiter)) return false;
        const auto pending = std::ranges::count_if(table().active(), [&](const auto& entry) {
            return waiter.watches(*entry.second);
        });
        const JsonObject answer{{"pending", pending}};
        pipeline_.after_commit(
            [request = std::move(waiter.request), answer] { request.respond(answer); });
        return true;
    });
}

}  // namespace sluice
