// flux job why: gathers what the services know of a waiting job, and says it in a sentence.
#include <fmt/format.h>

#include <map>

#include "base/rfc/constraint.hpp"
#include "cmd/client.hpp"
#include "cmd/format/job_why.hpp"
#include "cmd/format/queue_fields.hpp"
#include "cmd/job/job_commands.hpp"
#include "cmd/job_query.hpp"
#include "cmd/options/job_filter.hpp"
#include "cmd/resource/node_status.hpp"

namespace sluice {

namespace {

constexpr CliStyle style = CliStyle::c_tool;

Result<void> ask_queue(Handle& flux, JobWait& wait) {
    JsonObject request;
    if (const std::string queue = wait.job.text("queue"); !queue.empty()) request["name"] = queue;
    SLUICE_TRY(const JsonObject status,
               flux.call("job-manager.queue-status", request, {.nodeid = 0}));
    JsonReader in{status};
    wait.queue_started = in.boolean_or("start", true);
    wait.stop_reason = wait.queue_started ? "" : in.string_or("stop_reason", "");
    return {};
}

/// Counts the jobs of the same queue with a higher priority, or as high and older.
Result<void> ask_rank(Handle& flux, JobWait& wait) {
    JobFilter filter{.states = {job_state::sched, 0}};
    if (const std::string queue = wait.job.text("queue"); !queue.empty()) filter.queues = {queue};
    JobQuery query;
    query.attributes = {"priority"};
    query.constraint = filter_constraint(filter);
    SLUICE_TRY(std::vector<JsonObject> jobs, list_jobs(flux, query));
    const std::int64_t priority = wait.job.integer("priority");
    for (JsonObject& json : jobs) {
        JobRow other;
        other.json = std::move(json);
        const std::int64_t theirs = other.integer("priority");
        if (theirs > priority || (theirs == priority && other.id().value < wait.job.id().value))
            ++wait.ahead;
    }
    return {};
}

Result<Constraint> load_constraint(Handle& flux, JobId id) {
    SLUICE_TRY(const JsonObject jobspec, current_jobspec(flux, id));
    const Json* constraints = find_path(jobspec, "attributes.system.constraints");
    return constraints ? Constraint::from_json(*constraints) : Constraint{};
}

/// What is down or drained of the nodes that the constraint leaves. The constraint of a job in a
/// queue includes what the queue requires.
Result<void> ask_nodes(Handle& flux, JobWait& wait) {
    SLUICE_TRY(const Constraint constraint, load_constraint(flux, wait.job.id()));
    SLUICE_TRY(const NodeStatus status, load_node_status(flux, {}));
    const Idset drained = status.drained_ranks();
    wait.constrained = !constraint.empty();
    std::map<std::string, Hostlist> by_reason;
    for (const ResourceSet::Node& node : status.R.nodes()) {
        const std::vector<std::string> properties = properties_of(status.R, node.rank);
        if (!constraint.matches({node.rank, node.host, properties})) continue;
        ++wait.nodes.fitting;
        if (status.offline.contains(node.rank))
            wait.nodes.down.append(node.host);
        else if (drained.contains(node.rank))
            for (const NodeStatus::Drain& drain : status.drains)
                if (drain.ranks.contains(node.rank)) by_reason[drain.reason].append(node.host);
    }
    for (auto& [reason, hosts] : by_reason) wait.nodes.drained.push_back({reason, hosts});
    return {};
}

Result<JobWait> gather(Handle& flux, JobId id, std::string shown_id) {
    SLUICE_TRY(JsonObject json, list_job_id(flux, id, {"all"}));
    JobWait wait;
    wait.shown_id = std::move(shown_id);
    wait.job.json = std::move(json);
    wait.job.now = wall_clock_now();
    if (wait.job.integer("state") != job_state::sched) return wait;
    SLUICE_CHECK(ask_queue(flux, wait));
    SLUICE_CHECK(ask_rank(flux, wait));
    SLUICE_CHECK(ask_nodes(flux, wait));
    return wait;
}

}  // namespace

int job_why(int argc, char** argv) {
    Cli cli{"flux-job why", style, "ID...", "Say why jobs wait and what would change that."};
    if (const auto code = cli.parse(argc, argv)) return *code;
    if (cli.words().empty()) return cli.usage_error("give a job id");
    auto flux = open_flux(cli, style);
    if (!flux) return 1;
    int code = 0;
    for (const std::string& word : cli.words()) {
        const auto id = jobid_argument(word, style);
        if (!id) {
            code = cli.error(id.error().text());
            continue;
        }
        const auto wait = gather(*flux, *id, word);
        if (wait)
            fmt::print("{}\n", why_sentence(*wait));
        else if (wait.error().errnum() == ENOENT)
            code = cli.error(word + ": no such job");
        else
            code = cli.error(fmt::format("{}: {}", word, wait.error().text()));
    }
    return code;
}

}  // namespace sluice
