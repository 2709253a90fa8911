// Reading of [sched-fluxion-resource]; [sched-fluxion-qmanager] is in qmanager_config.cpp.
#include <algorithm>
#include <array>
#include <string_view>

#include "sched/qmanager_config.hpp"

namespace sluice {
namespace {

struct MatchPolicyName {
    std::string_view name;
    MatchOptions options;
};
/// The names of the reference. Where it only says "any that fits" we take the lowest.
constexpr std::array match_policies{
    MatchPolicyName{"first", {NodeOrder::lowest_first, false, false}},
    MatchPolicyName{"firstnodex", {NodeOrder::lowest_first, true, false}},
    MatchPolicyName{"low", {NodeOrder::lowest_first, false, false}},
    MatchPolicyName{"lonode", {NodeOrder::lowest_first, false, false}},
    MatchPolicyName{"lonodex", {NodeOrder::lowest_first, true, false}},
    MatchPolicyName{"high", {NodeOrder::highest_first, false, false}},
    MatchPolicyName{"hinode", {NodeOrder::highest_first, false, false}},
    MatchPolicyName{"hinodex", {NodeOrder::highest_first, true, false}},
    MatchPolicyName{"locality", {}},
    MatchPolicyName{"variation", {NodeOrder::lowest_first, false, false}},
};

/// "policy=low node_exclusive=true …", the long form of a match policy.
Result<MatchOptions> match_options_of_terms(std::string_view text) {
    MatchOptions options{NodeOrder::lowest_first, false, false};
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

/// queues.NAME.parent: jobs of a virtual queue (RFC 33) are scheduled with those of its parent.
Result<void> read_parents(const JsonObject& queues, std::map<std::string, std::string>& parents) {
    const auto parent_of = [&](std::string_view queue) -> const Json* {
        const Json* table = queues.if_contains(queue);
        return table && table->is_object() ? table->get_object().if_contains("parent") : nullptr;
    };
    for (const auto& member : queues) {
        const std::string_view queue = member.key();
        const Json* parent = parent_of(queue);
        if (!parent) continue;
        if (!parent->is_string())
            return fail(EINVAL, "queues.{}.parent: found {}, want the name of a queue", queue,
                        json_type_name(*parent));
        const std::string name{parent->get_string()};
        if (!queues.contains(name))
            return fail(EINVAL, "queue '{}' names unknown parent queue '{}'; define [queues.{}]",
                        queue, name, name);
        if (parent_of(name))
            return fail(EINVAL, "queue '{}' names parent '{}', which is a virtual queue itself; "
                                "name a queue without parent", queue, name);
        parents.emplace(queue, name);
    }
    return {};
}

}  // namespace

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
    if (const JsonObject* table = in.maybe_object("sched-fluxion-qmanager")) {
        const JsonObject* queues = in.maybe_object("queues");
        if (auto read = read_qmanager(*table, queues, out); !read)
            return Error{read.error().errnum(),
                         "sched-fluxion-qmanager." + read.error().text()};
    }
    SLUICE_TRY(out.topology, topology_of_config(config));
    if (const JsonObject* queues = in.maybe_object("queues"))
        SLUICE_CHECK(read_parents(*queues, out.parents));
    if (!in) return in.error();
    return out;
}

AllocRequest AllocRequest::from(JobId id, std::uint32_t priority, UserId userid, double t_submit,
                                const Jobspec& jobspec) {
    AllocRequest request{id, priority, userid, t_submit, jobspec.request, jobspec.constraint,
                         {}, jobspec.duration, jobspec.queue, group_request_of(jobspec.json)};
    if (const Json* text = find_path(jobspec.json, "attributes.system.constraints"))
        request.constraint_text = dump_json(*text);
    return request;
}

}  // namespace sluice
