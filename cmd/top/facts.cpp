#include "cmd/top/facts.hpp"

#include <cstdlib>

#include "base/rfc/fluid.hpp"
#include "cmd/client.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"
#include "cmd/resource/resource_sets.hpp"

namespace sluice {
namespace {

constexpr std::int64_t jobs_max = 1000;

std::string attr_or(Handle& flux, const std::string& name, std::string fallback) {
    const Result<std::string> value = flux.attr(name);
    return value ? *value : std::move(fallback);
}

Result<void> load_resources(Handle& flux, const std::optional<std::string>& queue,
                            TopSummary& summary) {
    SLUICE_TRY(ResourceSets sets, load_resource_sets(flux));
    RankFilter filter;
    if (queue) filter.queues = {*queue};
    SLUICE_TRY(const Idset ranks, filter.ranks(sets.all, sets.config));
    sets = sets.only_ranks(ranks);
    summary.nodes = {sets.allocated.node_count(), sets.all.node_count()};
    summary.cores = {sets.allocated.core_count(), sets.all.core_count()};
    summary.gpus = {sets.allocated.gpu_count(), sets.all.gpu_count()};
    return {};
}

/// The numbers of the whole instance, or of one queue.
Result<void> load_counts(Handle& flux, const std::optional<std::string>& queue,
                         TopSummary& summary) {
    SLUICE_TRY(const JsonObject all, flux.call("job-list.job-stats", {}, {.nodeid = 0}));
    JsonObject stats = all;
    if (queue) {
        stats = {};
        JsonReader in{all};
        if (const JsonArray* queues = in.maybe_array("queues"))
            for (const Json& one : *queues)
                if (one.is_object() &&
                    JsonReader{one.get_object()}.string_or("name", "") == *queue)
                    stats = one.get_object();
    }
    JsonReader in{stats};
    const Json* object = stats.if_contains("job_states");
    const JsonObject none;
    JsonReader states{object && object->is_object() ? object->get_object() : none};
    summary.pending = states.integer_or("depend", 0) + states.integer_or("priority", 0) +
                      states.integer_or("sched", 0);
    summary.running = states.integer_or("run", 0) + states.integer_or("cleanup", 0);
    summary.complete = in.integer_or("successful", 0);
    summary.failed =
        in.integer_or("failed", 0) + in.integer_or("canceled", 0) + in.integer_or("timeout", 0);
    return {};
}

Result<void> load_jobs(Handle& flux, const std::optional<std::string>& queue, TopFacts& facts) {
    JobFilter filter{.states = {job_state::running, 0}};
    if (queue) filter.queues = {*queue};
    JobQuery query;
    query.entries_max = jobs_max;
    query.attributes = {"annotations", "userid", "state",  "name", "queue",
                        "nnodes",      "ntasks", "t_run", "t_cleanup"};
    query.constraint = filter_constraint(filter);
    SLUICE_TRY(auto list, list_jobs(flux, query));
    for (const JobRow& row : make_job_rows(std::move(list), wall_clock_now())) {
        const std::string uri = job_uri(row);
        facts.jobs.push_back(
            {.id = to_f58(row.id()),
             .queue = row.text("queue"),
             .user = row.username,
             .state = std::string(state_letter(row.integer("state"))),
             .name = row.text("name"),
             .ntasks = row.integer("ntasks"),
             .nnodes = row.integer("nnodes"),
             .runtime = job_runtime(row),
             .instance = !uri.empty()});
        facts.uris.push_back(uri);
    }
    return {};
}

}  // namespace

Result<TopFacts> load_top_facts(Handle& flux, const std::optional<std::string>& queue) {
    TopFacts facts;
    TopSummary& summary = facts.summary;
    summary.path = attr_or(flux, "jobid-path", "/");
    summary.version = attr_or(flux, "version", "");
    summary.depth = std::atoll(attr_or(flux, "instance-level", "0").c_str());
    SLUICE_TRY(summary.size, flux.size());
    const double now = wall_clock_now();
    SLUICE_TRY(const JsonObject start,
               flux.call("attr.get", {{"name", "broker.starttime"}}, {.nodeid = 0}));
    summary.seconds_up = now - std::strtod(JsonReader{start}.string("value").c_str(), nullptr);
    SLUICE_TRY(const JsonObject status, flux.call("resource.status", {}, {.nodeid = 0}));
    const Json* end = find_path(status, "R.execution.expiration");
    if (const auto at = end ? as_number(*end) : std::nullopt; at && *at > 0)
        summary.seconds_left = *at - now;
    SLUICE_CHECK(load_resources(flux, queue, summary));
    SLUICE_CHECK(load_counts(flux, queue, summary));
    SLUICE_CHECK(load_jobs(flux, queue, facts));
    return facts;
}

}  // namespace sluice
