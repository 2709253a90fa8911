// Reading of [sched-fluxion-qmanager] and [sched-fluxion-resource].
#include <algorithm>
#include <array>
#include <string_view>

#include "sched/types.hpp"

namespace sluice {
namespace {

struct MatchPolicyName {
    std::string_view name;
    MatchOptions options;
};
/// The names of the reference. Where it only says "any that fits" we take the lowest.
constexpr std::array match_policies{
    MatchPolicyName{"first", {}},
    MatchPolicyName{"firstnodex", {NodeOrder::lowest_first, true}},
    MatchPolicyName{"low", {}},
    MatchPolicyName{"lonode", {}},
    MatchPolicyName{"lonodex", {NodeOrder::lowest_first, true}},
    MatchPolicyName{"high", {NodeOrder::highest_first, false}},
    MatchPolicyName{"hinode", {NodeOrder::highest_first, false}},
    MatchPolicyName{"hinodex", {NodeOrder::highest_first, true}},
    MatchPolicyName{"locality", {}},
    MatchPolicyName{"variation", {}},
};

/// "policy=low node_exclusive=true …", the long form of a match policy.
Result<MatchOptions> match_options_of_terms(std::string_view text) {
    MatchOptions options;
    while (!text.empty()) {
        const std::string_view term = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), term.size() + 1));
        if (term == "policy=high") options.order = NodeOrder::highest_first;
        else if (term == "node_exclusive=true") options.whole_nodes = true;
        else if (term != "policy=low" && term != "node_exclusive=false" &&
                 !term.starts_with("node_centric=") && !term.starts_with("set_stop_on_1_matches="))
            return fail(EINVAL, "sched-fluxion-resource.match-policy: unknown term '{}'; use "
                                "policy=low|high node_centric= node_exclusive=", term);
    }
    return options;
}

Result<MatchOptions> match_options(std::string_view name) {
    for (const MatchPolicyName& known : match_policies)
        if (known.name == name) return known.options;
    if (name.find('=') != std::string_view::npos) return match_options_of_terms(name);
    std::string names;
    for (const MatchPolicyName& known : match_policies)
        names += (names.empty() ? "" : ", ") + std::string{known.name};
    return fail(EINVAL, "sched-fluxion-resource.match-policy: unknown policy '{}'; use one of {}",
                name, names);
}

QueuePolicy queue_policy(std::string_view key, std::string_view name, SchedConfig& config) {
    if (name == "fcfs") return QueuePolicy::fcfs;
    // One reservation keeps the promise of all three: the first waiting job is not delayed.
    if (name == "easy" || name == "hybrid" || name == "conservative") return QueuePolicy::easy;
    config.warnings.push_back(fmt::format(
        "sched-fluxion-qmanager.{}: unknown policy '{}', fcfs is used; choose fcfs, easy, hybrid "
        "or conservative", key, name));
    return QueuePolicy::fcfs;
}

/// "q:policy q2:policy"
Result<void> read_policies_of_queues(std::string_view text, SchedConfig& config) {
    constexpr std::string_view key = "queue-policy-per-queue";
    while (!text.empty()) {
        const std::string_view term = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), term.size() + 1));
        if (term.empty()) continue;
        const std::size_t colon = term.find(':');
        if (colon == std::string_view::npos)
            return fail(EINVAL, "sched-fluxion-qmanager.{}: '{}' is not queue:policy", key, term);
        config.policy_of_queue[std::string{term.substr(0, colon)}] =
            queue_policy(key, term.substr(colon + 1), config);
    }
    return {};
}

Result<void> read_qmanager(const JsonObject& table, SchedConfig& config) {
    JsonReader in{table};
    const auto name = in.maybe_string("queue-policy");
    const auto per_queue = in.maybe_string("queue-policy-per-queue");
    const JsonObject* params = in.maybe_object("queue-params");
    if (!in) return in.error();
    if (name) config.policy = queue_policy("queue-policy", *name, config);
    if (per_queue) SLUICE_CHECK(read_policies_of_queues(*per_queue, config));
    if (!params) return {};
    JsonReader depth{*params};
    const std::int64_t value = depth.integer_or("queue-depth", config.queue_depth);
    if (!depth) return depth.error();
    if (value < 1 || value > 1000000)
        return fail(EINVAL, "queue-params.queue-depth: {} is not between 1 and 1000000", value);
    config.queue_depth = static_cast<std::uint32_t>(value);
    return {};
}

}  // namespace

QueuePolicy SchedConfig::policy_for(const std::string& queue) const {
    const auto found = policy_of_queue.find(queue);
    return found == policy_of_queue.end() ? policy : found->second;
}

Result<SchedConfig> SchedConfig::from_config(const JsonObject& config) {
    SchedConfig out;
    JsonReader in{config};
    if (const JsonObject* table = in.maybe_object("sched-fluxion-resource")) {
        JsonReader resource{*table};
        const auto name = resource.maybe_string("match-policy");
        if (!resource) return resource.error().in("sched-fluxion-resource");
        if (name) {
            SLUICE_TRY(out.match, match_options(*name));
        }
    }
    if (const JsonObject* table = in.maybe_object("sched-fluxion-qmanager"))
        if (auto read = read_qmanager(*table, out); !read)
            return read.error().in("sched-fluxion-qmanager");
    if (!in) return in.error();
    return out;
}

AllocRequest AllocRequest::from(JobId id, std::uint32_t priority, UserId userid, double t_submit,
                                const Jobspec& jobspec) {
    AllocRequest request{id, priority, userid, t_submit, jobspec.request, jobspec.constraint,
                         {}, jobspec.duration, jobspec.queue};
    if (const Json* text = find_path(jobspec.json, "attributes.system.constraints"))
        request.constraint_text = dump_json(*text);
    return request;
}

}  // namespace sluice
