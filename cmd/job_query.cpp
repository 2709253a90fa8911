#include "cmd/job_query.hpp"

#include <cstdlib>
#include <map>

#include "base/rfc/resource_set.hpp"
#include "cmd/client.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {

namespace {

JsonArray to_array(const std::vector<std::string>& words) {
    JsonArray array;
    for (const std::string& word : words) array.emplace_back(word);
    return array;
}

JsonObject counts(const ResourceSet& set) {
    JsonObject object;
    object["nnodes"] = set.node_count();
    object["ncores"] = set.core_count();
    object["ngpus"] = set.gpu_count();
    return object;
}

ResourceSet member_set(const JsonObject& reply, std::string_view key) {
    const Json* value = reply.if_contains(key);
    if (!value || !value->is_object()) return {};
    return ResourceSet::from_json(value->get_object()).value_or(ResourceSet{});
}

double share(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void read_resources(const JsonObject& reply, InstanceSummary& summary) {
    const ResourceSet all = member_set(reply, "all");
    const ResourceSet down = member_set(reply, "down");
    const ResourceSet allocated = member_set(reply, "allocated");
    const ResourceSet up = all - down;
    summary.resources["all"] = counts(all);
    summary.resources["up"] = counts(up);
    summary.resources["down"] = counts(down);
    summary.resources["allocated"] = counts(allocated);
    summary.resources["free"] = counts(up - allocated);
    summary.utilization = share(allocated.core_count(), all.core_count());
    summary.gpu_utilization = share(allocated.gpu_count(), all.gpu_count());
}

void read_stats(const JsonObject& reply, InstanceSummary& summary) {
    JsonReader in{reply};
    const JsonObject& states = in.object("job_states");
    JsonReader by_state{states};
    summary.pending = by_state.integer_or("depend", 0) + by_state.integer_or("priority", 0) +
                      by_state.integer_or("sched", 0);
    summary.running = by_state.integer_or("run", 0) + by_state.integer_or("cleanup", 0);
    summary.completed = in.integer_or("successful", 0);
    summary.failed =
        in.integer_or("failed", 0) + in.integer_or("canceled", 0) + in.integer_or("timeout", 0);
}

/// Jobs that a response may bring; the reference ignores the wish and sends one.
constexpr std::int64_t batch_jobs = 100;

/// Asks; `take` gets the text of each part of the answer, and `end` is set to what ended it.
void send_query(Handle& flux, const JobQuery& query, std::optional<Error>& end,
                std::function<Result<void>(std::string_view text)> take) {
    JsonObject request;
    request["max_entries"] = query.entries_max;
    request["attrs"] = to_array(query.attributes);
    request["since"] = query.since;
    request["batch"] = batch_jobs;
    request["constraint"] = query.constraint;
    flux.send("job-list.list", request, {.streaming = true},
              [&end, take = std::move(take)](const Reply& reply) {
                  if (!reply.ok()) end = reply.error();
                  if (end) return;
                  if (const auto taken = take(reply.message.text()); !taken) end = taken.error();
              });
}

template <class Take>
void for_each_job(JsonObject& payload, const Take& take) {
    Json* list = payload.if_contains("jobs");
    if (!list || !list->is_array()) return;
    for (Json& job : list->get_array())
        if (job.is_object()) take(job.get_object());
}

JobRow make_job_row(JsonObject job, double now, UserNames& users) {
    JobRow row{.json = std::move(job), .now = now};
    if (row.has("userid")) row.username = users.of(row.integer("userid"));
    row.local_uri = localized_uri(job_uri(row));
    return row;
}

}  // namespace

const std::string& UserNames::of(std::int64_t userid) {
    const auto [found, added] = names_.try_emplace(userid);
    if (added) found->second = user_name(UserId{static_cast<std::uint32_t>(userid)});
    return found->second;
}

Result<std::vector<JsonObject>> list_jobs(Handle& flux, const JobQuery& query) {
    std::vector<JsonObject> jobs;
    std::optional<Error> end;
    send_query(flux, query, end, [&](std::string_view text) -> Result<void> {
        SLUICE_TRY(JsonObject payload, parse_json_object(text));
        for_each_job(payload, [&](JsonObject& job) { jobs.push_back(std::move(job)); });
        return {};
    });
    if (!flux.run_until([&] { return end.has_value(); })) return Error{ECONNRESET};
    if (end->errnum() != ENODATA) return *end;
    return jobs;
}

JobListing::JobListing(Handle& flux, const JobQuery& query, double now) : flux_(flux), now_(now) {
    send_query(flux, query, end_, [this](std::string_view text) -> Result<void> {
        JobBatch batch{.memory = std::make_unique<JsonArena>(text.size() * 8)};
        SLUICE_TRY(JsonObject payload, parse_json_object(text, *batch.memory));
        for_each_job(payload, [&](JsonObject& job) {
            batch.rows.push_back(make_job_row(std::move(job), now_, users_));
        });
        if (!batch.rows.empty()) batches_.push_back(std::move(batch));
        return {};
    });
}

Result<JobBatch> JobListing::next() {
    if (!flux_.run_until([&] { return end_ || !batches_.empty(); })) return Error{ECONNRESET};
    if (!batches_.empty()) {
        JobBatch batch = std::move(batches_.front());
        batches_.pop_front();
        return batch;
    }
    if (end_->errnum() != ENODATA) return *end_;
    return JobBatch{};
}

Result<std::vector<std::optional<JsonObject>>> list_job_ids(
    Handle& flux, const std::vector<JobId>& ids, const std::vector<std::string>& attributes) {
    std::vector<std::optional<JsonObject>> jobs(ids.size());
    std::size_t answers = 0;
    std::optional<Error> failure;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        JsonObject request;
        request["id"] = ids[i].value;
        request["attrs"] = to_array(attributes);
        flux.send("job-list.list-id", request, {}, [&, i](const Reply& reply) {
            ++answers;
            auto payload = reply.json();
            if (!payload) {
                if (payload.error().errnum() != ENOENT) failure = payload.error();
                return;
            }
            if (Json* job = payload->if_contains("job"); job && job->is_object())
                jobs[i] = std::move(job->get_object());
        });
    }
    const bool connected = flux.run_until([&] { return answers == ids.size(); });
    if (failure) return *failure;
    if (!connected) return Error{ECONNRESET};
    return jobs;
}

Result<JsonObject> list_job_id(Handle& flux, JobId id, const std::vector<std::string>& attributes) {
    SLUICE_TRY(auto jobs, list_job_ids(flux, {id}, attributes));
    if (!jobs.front()) return Error{ENOENT};
    return std::move(*jobs.front());
}

void explain_waits(Handle& flux, std::vector<JobRow>& rows) {
    std::map<std::string, bool> stopped;
    for (JobRow& row : rows) {
        row.tells_why = true;
        if (row.integer("state") != job_state::sched) continue;
        const std::string queue = row.text("queue");
        auto found = stopped.find(queue);
        if (found == stopped.end()) {
            JsonObject request;
            if (!queue.empty()) request["name"] = queue;
            const auto reply = flux.call("job-manager.queue-status", request, {.nodeid = 0});
            const bool started = !reply || JsonReader{*reply}.boolean_or("start", true);
            found = stopped.emplace(queue, !started).first;
        }
        row.queue_stopped = found->second;
    }
}

std::string localized_uri(const std::string& uri) {
    constexpr std::string_view ssh = "ssh://";
    if (!uri.starts_with(ssh)) return uri;
    const std::size_t path = uri.find('/', ssh.size());
    return path == uri.npos ? uri : "local://" + uri.substr(path);
}

std::string reachable_uri(const std::string& uri) {
    constexpr std::string_view ssh = "ssh://";
    const char* resolve_local = std::getenv("FLUX_URI_RESOLVE_LOCAL");
    if (resolve_local && *resolve_local) return localized_uri(uri);
    if (!uri.starts_with(ssh)) return uri;
    std::string host = uri.substr(ssh.size(), uri.find('/', ssh.size()) - ssh.size());
    if (const std::size_t user = host.find('@'); user != host.npos) host.erase(0, user + 1);
    const bool here = host == host_name() || host == "localhost";
    return here ? localized_uri(uri) : uri;
}

Result<JsonObject> current_jobspec(Handle& flux, JobId id) {
    constexpr int lookup_current = 2;
    SLUICE_TRY(const JsonObject reply, flux.call("job-info.lookup", {{"id", id.value},
                                                                     {"keys", {"jobspec"}},
                                                                     {"flags", lookup_current}}));
    JsonReader in{reply};
    const std::string text = in.string("jobspec");
    if (!in) return in.error();
    return parse_json_object(text);
}

std::vector<JobRow> make_job_rows(std::vector<JsonObject> jobs, double now) {
    UserNames users;
    std::vector<JobRow> rows;
    rows.reserve(jobs.size());
    for (JsonObject& job : jobs) rows.push_back(make_job_row(std::move(job), now, users));
    return rows;
}

void load_instance_summaries(std::vector<JobRow>& rows) {
    for (JobRow& row : rows) {
        const std::string uri = job_uri(row);
        if (uri.empty() || row.integer("state") != job_state::run) continue;
        auto child = Handle::open(reachable_uri(uri));
        if (!child) continue;  // as for any instance that has just ended: its fields stay empty
        const auto stats = child->call("job-list.job-stats");
        const auto resources = child->call("resource.sched-status");
        if (!stats || !resources) continue;
        read_stats(*stats, row.instance);
        read_resources(*resources, row.instance);
        row.instance.known = true;
    }
}

}  // namespace sluice
