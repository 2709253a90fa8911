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

constexpr std::size_t slice_jobs = 1000;

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

std::string job_answer(const JobAttrs& attrs, const Job& job) {
    std::string answer = "{\"job\":";
    attrs.append(job, answer);
    return answer + "}";
}

}  // namespace

JobListService::JobListService(JobPipeline& pipeline)
    : RpcService(pipeline.context().router, "job-list"),
      pipeline_(pipeline),
      timer_(pipeline.context().io) {
    pipeline_.on_commit.add([this] { answer_waiting(); });
}

Result<JobListService::Query> JobListService::read_query(const JsonObject& payload) {
    JsonReader in{payload};
    const std::int64_t max = in.integer("max_entries");
    const JsonArray& attrs = in.array("attrs");
    Query query;
    // Clients of the reference expect one job a response; ours read faster.
    const std::int64_t batch = in.integer_or("batch", 1);
    query.since = in.number_or("since", 0);
    if (!in) return in.error();
    if (batch < 1) return fail(EPROTO, "invalid payload: batch < 1 not allowed");
    query.batch = std::min<std::size_t>(static_cast<std::size_t>(batch), slice_jobs);
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

void JobListService::list(Request request, const JsonObject& payload) {
    auto query = read_query(payload);
    if (!query) return request.fail(query.error());
    const bool streaming = request.streaming();
    Listing listing{std::move(request), *std::move(query), JobTable::Walk{pipeline_.table()}};
    if (streaming) {
        if (send_slice(listing)) return;
        listings_.push_back(std::move(listing));
        return go_on_soon();
    }
    std::string answer = "{\"jobs\":[";
    Step step;
    do {
        const Job* job = listing.walk.next();
        step = judge(listing, job);
        if (step != Step::take) continue;
        if (listing.count > 1) answer += ',';
        listing.query.attrs.append(*job, answer);
    } while (step != Step::end);
    listing.request.respond_text(answer + "]}");
}

/// Whether `job`, the next one or nullptr, belongs into the listing.
JobListService::Step JobListService::judge(Listing& listing, const Job* job) {
    const Query& query = listing.query;
    if (!job || (query.max > 0 && listing.count == query.max)) return Step::end;
    // The finished ones come last, newest first: nothing after this one is wanted.
    if (job->inactive() && query.since > 0 && job->t_inactive <= query.since) return Step::end;
    if (!query.filter.matches(*job)) return Step::skip;
    ++listing.count;
    return Step::take;
}

/// True when that was the end of the listing.
bool JobListService::send_slice(Listing& listing) const {
    std::string jobs;
    std::size_t in_answer = 0;
    const auto send = [&] {
        const bool first = listing.count == in_answer;
        listing.request.respond_text("{\"jobs\":[" + jobs + (first ? "],\"version\":1}" : "]}"));
        jobs.clear();
        in_answer = 0;
    };
    for (std::size_t looked_at = 0; looked_at < slice_jobs; ++looked_at) {
        if (in_answer == 0 && slow(listing.request)) return false;
        const Job* job = listing.walk.next();
        const Step step = judge(listing, job);
        if (step == Step::skip) continue;
        if (step == Step::end) {
            if (in_answer > 0) send();
            listing.request.end_stream();
            return true;
        }
        if (in_answer > 0) jobs += ',';
        listing.query.attrs.append(*job, jobs);
        if (++in_answer == listing.query.batch) send();
    }
    if (in_answer > 0) send();
    return false;
}

void JobListService::go_on_soon() {
    const bool readers_wait = std::ranges::any_of(
        listings_, [this](const Listing& listing) { return !slow(listing.request); });
    if (!readers_wait) return;  // on_client_pace() goes on
    timer_.expires_after(std::chrono::milliseconds{0});
    timer_.async_wait([this](boost::system::error_code error) {
        if (error) return;
        listings_.remove_if([this](Listing& listing) { return send_slice(listing); });
        if (!listings_.empty()) go_on_soon();
    });
}

void JobListService::on_client_pace(const Request&, bool slow) {
    if (!slow && !listings_.empty()) go_on_soon();
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
    if (static_cast<std::int64_t>(job->state) >= state)
        return request.respond_text(job_answer(*attrs, *job));
    waiters_.push_back({std::move(request), id, *std::move(attrs), state});
}

void JobListService::answer_waiting() {
    waiters_.remove_if([&](const Waiter& waiter) {
        const Job* job = pipeline_.table().find(waiter.id);
        if (!job) return waiter.request.fail(Error{ENOENT}), true;
        if (static_cast<std::int64_t>(job->state) < waiter.state) return false;
        return waiter.request.respond_text(job_answer(waiter.attrs, *job)), true;
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
    listings_.remove_if([&](const Listing& one) { return one.request.sender() == sender; });
    waiters_.remove_if([&](const Waiter& waiter) { return waiter.request.sender() == sender; });
    stats_streams_.disconnect(sender);
}

}  // namespace sluice
