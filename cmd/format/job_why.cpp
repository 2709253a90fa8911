#include "cmd/format/job_why.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/rfc/fsd.hpp"
#include "cmd/format/conversion.hpp"
#include "cmd/format/job_reason.hpp"
#include "cmd/options/job_filter.hpp"

namespace sluice {
namespace {

std::string annotation(const JobRow& job, std::string_view path) {
    const Json* annotations = job.json.if_contains("annotations");
    const Json* value = annotations ? find_path(*annotations, path) : nullptr;
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

std::optional<double> estimate(const JobRow& job) {
    const Json* annotations = job.json.if_contains("annotations");
    const Json* value = annotations ? find_path(*annotations, "sched.t_estimate") : nullptr;
    return value ? as_number(*value) : std::nullopt;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
        text += parts[i];
    }
    return text;
}

/// "for ƒA to complete", from "afterok=ƒA".
std::string dependency_clause(std::string_view dependency, double now) {
    const std::size_t equals = dependency.find('=');
    const std::string_view scheme = dependency.substr(0, equals);
    const std::string value{equals == dependency.npos ? "" : dependency.substr(equals + 1)};
    if (scheme == "begin-time") {
        const auto time = numeric(value);
        if (time)
            return fmt::format("for its begin time {} (in {})", local_time(*time, "%F %T"),
                               fsd_format(std::max(0.0, *time - now)));
    }
    if (scheme == "after-start" || scheme == "after") return "for " + value + " to start";
    if (scheme == "after-success" || scheme == "afterok") return "for " + value + " to complete";
    if (scheme == "after-failure" || scheme == "afternotok") return "for " + value + " to fail";
    if (scheme == "after-finish" || scheme == "afterany") return "for " + value + " to end";
    if (scheme == "after-except" || scheme == "afterexcept")
        return "for " + value + " to get an exception";
    if (scheme == "singleton") return "for an earlier job of the same name to end";
    return fmt::format("for the dependency {} to be met", dependency);
}

std::string dependencies_sentence(const JobWait& wait) {
    std::vector<std::string> clauses;
    bool others = false;
    const Json* list = wait.job.json.if_contains("dependencies");
    if (list && list->is_array())
        for (const Json& item : list->get_array())
            if (item.is_string()) {
                const std::string_view text = item.get_string();
                others = others || !text.starts_with("begin-time=");
                clauses.push_back(dependency_clause(text, wait.job.now));
            }
    if (clauses.empty()) return "waits for a dependency that is not named";
    return "waits " + joined(clauses) +
           (others ? "; it is canceled when that can no longer happen" : "; nothing is to be done");
}

std::string unusable_nodes(const ConstrainedNodes& nodes) {
    std::vector<std::string> parts;
    const auto are = [](const Hostlist& hosts) { return hosts.size() == 1 ? " is" : " are"; };
    if (!nodes.down.empty())
        parts.push_back(nodes.down.to_string() + are(nodes.down) + " down");
    for (const auto& [reason, hosts] : nodes.drained)
        parts.push_back(hosts.to_string() + are(hosts) + " drained" +
                        (reason.empty() ? "" : " (" + reason + ")"));
    return joined(parts);
}

std::string cure_of_nodes(const ConstrainedNodes& nodes) {
    std::vector<std::string> cures;
    if (!nodes.drained.empty()) {
        Hostlist all;
        for (const auto& drained : nodes.drained)
            for (const std::string& host : drained.hosts.hosts()) all.append(host);
        cures.push_back("flux resource undrain " + all.to_string());
    }
    if (!nodes.down.empty()) cures.push_back("starting brokers on " + nodes.down.to_string());
    return joined(cures) + " would help";
}

std::string queue_words(const JobRow& job) {
    const std::string queue = job.text("queue");
    return queue.empty() ? "the queue" : "queue " + queue;
}

std::string start_words(const JobRow& job) {
    const auto at = estimate(job);
    if (!at) return "";
    if (*at <= job.now) return "; it should start any moment";
    return fmt::format("; it should start at {} (in {})", local_time(*at, "%F %T"),
                       fsd_format(*at - job.now));
}

std::string sched_sentence(const JobWait& wait) {
    const JobRow& job = wait.job;
    if (job.has("urgency") && job.integer("urgency") == 0)
        return fmt::format("is held: its urgency is 0; flux job urgency {} default releases it",
                           wait.shown_id);
    if (job.has("priority") && job.integer("priority") == 0)
        return "is held: its priority is 0; the plugin that gives priorities must raise it";
    if (!wait.queue_started)
        return fmt::format("waits because {} is stopped{}; flux queue start{} lets it go on",
                           queue_words(job),
                           wait.stop_reason.empty() ? "" : ": " + wait.stop_reason,
                           job.text("queue").empty() ? "" : " " + job.text("queue"));
    if (wait.constrained && !(wait.nodes.down.empty() && wait.nodes.drained.empty()))
        return fmt::format("waits for nodes: of the {} that fit its constraint and queue, {}{}; {}",
                           wait.nodes.fitting, unusable_nodes(wait.nodes), start_words(job),
                           cure_of_nodes(wait.nodes));
    if (wait.ahead > 0)
        return fmt::format("is number {} in {}{}; a higher urgency (flux job urgency {} N) would "
                           "move it up",
                           wait.ahead + 1, queue_words(job), start_words(job), wait.shown_id);
    std::string missing = annotation(job, "sched.reason_pending");
    if (missing.starts_with("resources: ")) missing.erase(0, missing.find(' ') + 1);
    return fmt::format("is first in {} and waits for resources{}{}; they come free when running "
                       "jobs end",
                       queue_words(job), missing.empty() ? "" : ": " + missing, start_words(job));
}

}  // namespace

std::string why_sentence(const JobWait& wait) {
    std::string text = wait.shown_id + " ";
    switch (wait.job.integer("state")) {
        case job_state::new_:
            return text + "is being checked";
        case job_state::depend:
            return text + dependencies_sentence(wait);
        case job_state::priority:
            return text + "waits for a priority, which the plugin that gives priorities must set";
        case job_state::sched:
            return text + sched_sentence(wait);
        case job_state::run:
            return text + "does not wait: it runs on " + wait.job.text("nodelist");
        case job_state::cleanup:
            return text + "does not wait: it has run and is being cleaned up";
        default:
            return text + "does not wait: it has ended (" + job_status(wait.job) +
                   (inactive_reason(wait.job).empty() ? "" : ", " + inactive_reason(wait.job)) +
                   ")";
    }
}

std::string why_short(const JobRow& job) {
    if (job.queue_stopped) return "queue-stopped";
    const std::string reason = annotation(job, "sched.reason_pending");
    return reason.substr(0, reason.find(':'));
}

}  // namespace sluice
