#include "broker/service/job_list.hpp"

#include <algorithm>

#include "broker/jobs/job_filter.hpp"

namespace sluice {

const RpcTable<JobListService> JobListService::rpcs{
    {"list", Caller::user, Body::json, &JobListService::list},
    {"list-id", Caller::user, Body::json, &JobListService::list_id},
    {"list-attrs", Caller::user, Body::maybe, &JobListService::list_attrs},
    {"job-stats", Caller::user, Body::maybe, &JobListService::job_stats},
};

namespace {

struct ListQuery {
    std::size_t max = 0;
    JobAttrs attrs;
    double since = 0;
    JobFilter filter;
};

Result<ListQuery> read_query(const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t max = in.integer("max_entries");
    const JsonArray& attrs = in.array("attrs");
    ListQuery query;
    query.since = in.number_or("since", 0);
    if (!in) return in.error();
    if (max < 0) return fail(EPROTO, "invalid payload: max_entries < 0 not allowed");
    query.max = static_cast<std::size_t>(max);
    SLUICE_TRY(query.attrs, JobAttrs::from_json(attrs));
    if (const Json* constraint = payload.if_contains("constraint")) {
        auto filter = JobFilter::from_json(*constraint);
        if (!filter)
            return fail(EPROTO, "invalid payload: constraint object invalid: {}",
                        filter.error().text());
        query.filter = *std::move(filter);
    }
    return query;
}

JsonObject counts_to_json(const JobTable::Counts& counts) {
    JsonObject states{{"depend", counts.depend},   {"priority", counts.priority},
                      {"sched", counts.sched},     {"run", counts.run},
                      {"cleanup", counts.cleanup}, {"inactive", counts.inactive},
                      {"total", counts.total()}};
    return {{"job_states", std::move(states)}, {"successful", counts.successful},
            {"failed", counts.failed},         {"canceled", counts.canceled},
            {"timeout", counts.timeout}};
}

void add(JobTable::Counts& into, const JobTable::Counts& from) {
    into.depend += from.depend;
    into.priority += from.priority;
    into.sched += from.sched;
    into.run += from.run;
    into.cleanup += from.cleanup;
    into.inactive += from.inactive;
    into.successful += from.successful;
    into.failed += from.failed;
    into.canceled += from.canceled;
    into.timeout += from.timeout;
}

}  // namespace

JobListService::JobListService(JobPipeline& pipeline)
    : RpcService(pipeline.context().router, "job-list"), pipeline_(pipeline) {
    pipeline_.on_commit.add([this] { answer_waiting(); });
}

void JobListService::list(Request request, const JsonObject& payload) {
    const auto query = read_query(payload);
    if (!query) return request.fail(query.error());
    const bool streaming = request.streaming();
    JsonArray jobs;
    std::size_t count = 0;
    pipeline_.table().list([&](const Job& job) {
        // The finished ones come last, newest first: nothing after this one is wanted.
        if (job.inactive() && query->since > 0 && job.t_inactive <= query->since) return false;
        if (!query->filter.matches(job)) return true;
        JsonArray one;
        (streaming ? one : jobs).emplace_back(query->attrs.of(job));
        if (streaming) {
            JsonObject answer{{"jobs", std::move(one)}};
            if (count == 0) answer["version"] = 1;
            request.respond(answer);
        }
        return ++count != query->max;
    });
    if (streaming) return request.end_stream();
    request.respond(JsonObject{{"jobs", std::move(jobs)}});
}

void JobListService::list_id(Request request, const JsonObject& payload) {
    JsonReader in{payload};
    const JobId id{static_cast<std::uint64_t>(in.integer("id"))};
    const JsonArray& names = in.array("attrs");
    const std::int64_t state = in.integer_or("state", 0);
    if (!in) return request.fail(in.error());
    auto attrs = JobAttrs::from_json(names);
    if (!attrs) return request.fail(attrs.error());
    const Job* job = pipeline_.table().find(id);
    if (!job) return request.fail(Error{ENOENT});
    if (static_cast<std::int64_t>(job->state) >= state) {
        JsonObject answer;
        answer["job"] = attrs->of(*job);
        return request.respond(answer);
    }
    waiters_.push_back({std::move(request), id, *std::move(attrs), state});
}

void JobListService::answer_waiting() {
    waiters_.remove_if([&](const Waiter& waiter) {
        const Job* job = pipeline_.table().find(waiter.id);
        if (!job) return waiter.request.fail(Error{ENOENT}), true;
        if (static_cast<std::int64_t>(job->state) < waiter.state) return false;
        JsonObject answer;
        answer["job"] = waiter.attrs.of(*job);
        return waiter.request.respond(answer), true;
    });
    if (stats_streams_.empty()) return;
    const JsonObject now = counts();
    for (auto& [request, last] : stats_streams_.entries()) {
        if (last == now) continue;
        last = now;
        request.respond(now);
    }
}

void JobListService::list_attrs(Request request, const JsonObject&) {
    request.respond(JsonObject{{"attrs", JobAttrs::names()}});
}

JsonObject JobListService::counts() const {
    const JobTable& table = pipeline_.table();
    const auto by_queue = table.counts_by_queue();
    JobTable::Counts total;
    for (const auto& [queue, counts] : by_queue) add(total, counts);
    JsonObject answer = counts_to_json(total);
    answer["inactive_purged"] = table.purged_count();
    JsonArray queues;
    for (const std::string& name : pipeline_.queues().names()) {
        const auto found = by_queue.find(name);
        JsonObject queue =
            counts_to_json(found == by_queue.end() ? JobTable::Counts{} : found->second);
        queue["inactive_purged"] = 0;
        queue["name"] = name;
        queues.emplace_back(std::move(queue));
    }
    answer["queues"] = std::move(queues);
    return answer;
}

JsonObject JobListService::stats() const {
    const JobTable& table = pipeline_.table();
    JobTable::Counts total;
    for (const auto& [queue, counts] : table.counts_by_queue()) add(total, counts);
    JsonObject jobs{{"pending", total.depend + total.priority + total.sched},
                    {"running", total.run + total.cleanup},
                    {"inactive", total.inactive}};
    return {{"jobs", std::move(jobs)},
            {"idsync", JsonObject{{"lookups", 0}, {"waits", waiters_.size()}}},
            {"stats_watchers", stats_streams_.entries().size()}};
}

void JobListService::job_stats(Request request, const JsonObject&) {
    const JsonObject answer = counts();
    request.respond(answer);
    if (request.streaming()) stats_streams_.add(std::move(request), answer);
}

void JobListService::on_disconnect(const Request& request) {
    const std::string_view sender = request.sender();
    waiters_.remove_if([&](const Waiter& waiter) { return waiter.request.sender() == sender; });
    stats_streams_.disconnect(sender);
}

}  // namespace sluice
