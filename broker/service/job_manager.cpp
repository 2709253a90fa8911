#include "broker/service/job_manager.hpp"

namespace sluice {

const RpcTable<JobManagerService> JobManagerService::rpcs{
    {"raise", Caller::user, Body::json, &JobManagerService::raise},
    {"raiseall", Caller::user, Body::json, &JobManagerService::raiseall},
    {"kill", Caller::user, Body::json, &JobManagerService::kill},
    {"killall", Caller::user, Body::json, &JobManagerService::killall},
    {"urgency", Caller::user, Body::json, &JobManagerService::urgency},
    {"update", Caller::user, Body::json, &JobManagerService::update},
    {"memo", Caller::user, Body::json, &JobManagerService::memo},
    {"post-event.post", Caller::owner, Body::json, &JobManagerService::post_event},
    {"getattr", Caller::user, Body::json, &JobManagerService::getattr},
    {"wait", Caller::owner, Body::json, &JobManagerService::wait},
    {"purge", Caller::owner, Body::json, &JobManagerService::purge},
    {"purge-id", Caller::owner, Body::json, &JobManagerService::purge_id},
    {"getinfo", Caller::user, Body::none, &JobManagerService::getinfo},
    {"list", Caller::user, Body::json, &JobManagerService::list},
    {"history.get", Caller::user, Body::json, &JobManagerService::history},
    {"jobtap", Caller::owner, Body::json, &JobManagerService::jobtap},
    {"jobtap-query", Caller::owner, Body::json, &JobManagerService::jobtap_query},
    {"housekeeping-kill", Caller::owner, Body::json, &JobManagerService::housekeeping_kill},
    {"queue-list", Caller::user, Body::none, &JobManagerService::queue_list},
    {"queue-status", Caller::user, Body::json, &JobManagerService::queue_status},
    {"queue-enable", Caller::owner, Body::json, &JobManagerService::queue_enable},
    {"queue-start", Caller::owner, Body::json, &JobManagerService::queue_start},
    {"sched-hello", Caller::owner, Body::maybe, &JobManagerService::sched_hello},
    {"sched-ready", Caller::owner, Body::json, &JobManagerService::sched_ready},
    {"alloc-query", Caller::user, Body::none, &JobManagerService::alloc_query},
    {"drain", Caller::owner, Body::maybe, &JobManagerService::drain},
    {"idle", Caller::owner, Body::maybe, &JobManagerService::idle},
    {"events-journal", Caller::owner, Body::maybe, &JobManagerService::journal},
    {"events-journal-cancel", Caller::owner, Body::json, &JobManagerService::journal_cancel},
};

JobManagerService::JobManagerService(JobPipeline& pipeline)
    : RpcService(pipeline.context().router, "job-manager"),
      pipeline_(pipeline),
      journal_(pipeline) {
    pipeline_.before_commit.add([this] { answer_waiting(); });
    pipeline_.on_inactive.add([this](const Job& job) { on_inactive(job); });
}

JsonObject JobManagerService::stats() const {
    const JobTable& table = pipeline_.table();
    JsonObject journal{{"listeners", journal_.listeners()}, {"events", journal_.events()}};
    return {{"journal", std::move(journal)},
            {"active_jobs", table.active_count()},
            {"inactive_jobs", table.inactive_count()},
            {"max_jobid", table.max_id().value},
            {"housekeeping", pipeline_.housekeeping().stats()}};
}

void JobManagerService::journal(Request request, const JsonObject& payload) {
    journal_.open(std::move(request), payload);
}

void JobManagerService::journal_cancel(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t matchtag = in.integer("matchtag");
    if (in) journal_.cancel(request, matchtag);
}

void JobManagerService::on_disconnect(const Request& request) {
    const std::string_view sender = request.sender();
    const auto theirs = [&](const Request& other) { return other.sender() == sender; };
    waiters_.remove_if([&](const Waiter& waiter) { return theirs(waiter.request); });
    const auto waiter_is_theirs = [&](const QueueWaiter& one) { return theirs(one.request); };
    draining_.remove_if(waiter_is_theirs);
    idling_.remove_if(waiter_is_theirs);
    journal_.disconnect(sender);
    pipeline_.scheduler().on_disconnect(sender);
}

}  // namespace sluice
