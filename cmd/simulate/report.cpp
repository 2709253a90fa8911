#include "cmd/simulate/report.hpp"

#include <algorithm>
#include <functional>

#include "base/rfc/fsd.hpp"

namespace sluice {
namespace {

struct Quantity {
    std::string_view name;
    std::function<std::string(const SimOutcome&)> text;
};

std::string factor(double value) { return fmt::format("{:.2f}", value); }

const Quantity quantities[] = {
    {"policy", [](const SimOutcome& it) { return it.simulation.policy; }},
    {"jobs that ran", [](const SimOutcome& it) { return fmt::format("{}", it.statistics.ran); }},
    {"denied", [](const SimOutcome& it) { return fmt::format("{}", it.statistics.denied); }},
    {"never started",
     [](const SimOutcome& it) { return fmt::format("{}", it.statistics.never_started); }},
    {"ended by their limit",
     [](const SimOutcome& it) { return fmt::format("{}", it.statistics.timed_out); }},
    {"started out of order",
     [](const SimOutcome& it) { return fmt::format("{}", it.statistics.overtook); }},
    {"makespan", [](const SimOutcome& it) { return span_text(it.statistics.makespan); }},
    {"utilisation",
     [](const SimOutcome& it) { return fmt::format("{:.2f} %", 100 * it.statistics.utilisation); }},
    {"wait, mean", [](const SimOutcome& it) { return span_text(it.statistics.wait.mean); }},
    {"wait, median", [](const SimOutcome& it) { return span_text(it.statistics.wait.median); }},
    {"wait, 95 %", [](const SimOutcome& it) { return span_text(it.statistics.wait.p95); }},
    {"wait, longest", [](const SimOutcome& it) { return span_text(it.statistics.wait.max); }},
    {"slowdown, mean", [](const SimOutcome& it) { return factor(it.statistics.slowdown.mean); }},
    {"slowdown, median",
     [](const SimOutcome& it) { return factor(it.statistics.slowdown.median); }},
    {"bounded slowdown, mean",
     [](const SimOutcome& it) { return factor(it.statistics.bounded_slowdown.mean); }},
    {"bounded slowdown, median",
     [](const SimOutcome& it) { return factor(it.statistics.bounded_slowdown.median); }},
    {"bounded slowdown, 95 %",
     [](const SimOutcome& it) { return factor(it.statistics.bounded_slowdown.p95); }},
    {"jobs waiting, mean",
     [](const SimOutcome& it) { return fmt::format("{:.1f}", it.statistics.waiting_mean); }},
    {"jobs waiting, most",
     [](const SimOutcome& it) { return fmt::format("{}", it.statistics.waiting_max); }},
};

JsonObject json_of(const Distribution& distribution) {
    JsonObject out;
    out["mean"] = distribution.mean;
    out["median"] = distribution.median;
    out["p95"] = distribution.p95;
    out["max"] = distribution.max;
    return out;
}

JsonObject json_of(const SimStatistics& statistics) {
    JsonObject out;
    out["jobs"] = statistics.jobs;
    out["ran"] = statistics.ran;
    out["denied"] = statistics.denied;
    out["never_started"] = statistics.never_started;
    out["timed_out"] = statistics.timed_out;
    out["out_of_order"] = statistics.overtook;
    out["makespan"] = statistics.makespan;
    out["utilisation"] = statistics.utilisation;
    out["waiting_mean"] = statistics.waiting_mean;
    out["waiting_max"] = statistics.waiting_max;
    out["wait"] = json_of(statistics.wait);
    out["slowdown"] = json_of(statistics.slowdown);
    out["bounded_slowdown"] = json_of(statistics.bounded_slowdown);
    return out;
}

JsonObject json_of(const SimJob& job, const SimResult& result) {
    JsonObject out;
    out["job"] = job.number;
    out["result"] = sim_end_name(result.how);
    out["t_submit"] = job.submit;
    if (result.how == SimEnd::denied) out["note"] = result.note;
    if (result.how == SimEnd::denied || result.how == SimEnd::never_started) return out;
    out["t_start"] = result.start;
    out["t_end"] = result.end;
    out["ranks"] = result.ranks.to_string();
    out["ncores"] = result.cores;
    out["ngpus"] = result.gpus;
    return out;
}

}  // namespace

std::string span_text(double seconds) { return fsd_format(seconds, 3); }

std::string comparison_table(std::span<const SimOutcome> outcomes) {
    constexpr std::size_t column_least = 12;
    std::vector<std::size_t> widths;
    for (const SimOutcome& outcome : outcomes)
        widths.push_back(std::max(column_least, outcome.simulation.policy.size()));
    std::string text;
    for (const Quantity& quantity : quantities) {
        text += fmt::format("{:<26}", quantity.name);
        for (std::size_t i = 0; i < outcomes.size(); ++i)
            text += fmt::format("  {:>{}}", quantity.text(outcomes[i]), widths[i]);
        text += '\n';
    }
    return text;
}

std::string job_rows(const Workload& workload, std::span<const SimOutcome> outcomes) {
    std::string text = "policy,job,result,submit,start,end,wait,nodes,cores,gpus,ranks\n";
    for (const SimOutcome& outcome : outcomes) {
        for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
            const SimJob& job = workload.jobs[i];
            const SimResult& result = outcome.simulation.results[i];
            const auto out = std::back_inserter(text);
            fmt::format_to(out, "{},{},{},{}", outcome.simulation.policy, job.number,
                           sim_end_name(result.how), job.submit);
            if (result.how == SimEnd::denied || result.how == SimEnd::never_started)
                text += ",,,,,,,\n";
            else
                fmt::format_to(out, ",{},{},{},{},{},{},\"{}\"\n", result.start, result.end,
                               result.start - job.submit, result.ranks.size(), result.cores,
                               result.gpus, result.ranks.to_string());
        }
    }
    return text;
}

JsonObject simulation_json(const Workload& workload, const SimMachine& machine,
                           std::span<const SimOutcome> outcomes, bool with_jobs) {
    JsonObject out, resources;
    resources["nnodes"] = machine.nodes;
    resources["ncores"] = machine.cores;
    resources["ngpus"] = machine.gpus;
    out["resources"] = std::move(resources);
    out["skipped"] = workload.skipped;
    JsonArray policies;
    for (const SimOutcome& outcome : outcomes) {
        JsonObject one;
        one["policy"] = outcome.simulation.policy;
        one["passes"] = outcome.simulation.passes;
        one["statistics"] = json_of(outcome.statistics);
        if (with_jobs) {
            JsonArray jobs;
            for (std::size_t i = 0; i < workload.jobs.size(); ++i)
                jobs.push_back(json_of(workload.jobs[i], outcome.simulation.results[i]));
            one["jobs"] = std::move(jobs);
        }
        policies.push_back(std::move(one));
    }
    out["policies"] = std::move(policies);
    return out;
}

}  // namespace sluice
