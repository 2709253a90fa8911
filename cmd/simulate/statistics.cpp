#include "cmd/simulate/statistics.hpp"

#include <algorithm>
#include <numeric>

namespace sluice {
namespace {

constexpr double slowdown_bound = 10;  // seconds

struct Waits {
    std::vector<double> wait, slowdown, bounded;
};

void add_run(const SimJob& job, const SimResult& result, Waits& waits) {
    const double wait = result.start - job.submit, run = result.end - result.start;
    waits.wait.push_back(wait);
    if (run > 0) waits.slowdown.push_back((wait + run) / run);
    waits.bounded.push_back(std::max(1.0, (wait + run) / std::max(run, slowdown_bound)));
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const auto at = [&](double part) {  // the nearest rank
        const auto rank = static_cast<std::size_t>(part * static_cast<double>(values.size()));
        return values[std::min(rank, values.size() - 1)];
    };
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return {sum / static_cast<double>(values.size()), at(0.5), at(0.95), values.back()};
}

SimStatistics statistics_of(const Workload& workload, const SimMachine& machine,
                            const Simulation& simulation) {
    SimStatistics out;
    out.jobs = workload.jobs.size();
    Waits waits;
    double used = 0, last = 0;
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        const SimResult& result = simulation.results[i];
        out.denied += result.how == SimEnd::denied;
        out.never_started += result.how == SimEnd::never_started;
        out.timed_out += result.how == SimEnd::timeout;
        if (result.how != SimEnd::completed && result.how != SimEnd::timeout) continue;
        ++out.ran;
        out.overtook += result.overtook;
        used += static_cast<double>(result.cores) * (result.end - result.start);
        last = std::max(last, result.end);
        add_run(workload.jobs[i], result, waits);
    }
    double waiting_seconds = 0;
    for (std::size_t i = 0; i < simulation.samples.size(); ++i) {
        const SimSample& sample = simulation.samples[i];
        out.waiting_max = std::max<std::size_t>(out.waiting_max, sample.waiting);
        if (i + 1 < simulation.samples.size())
            waiting_seconds += static_cast<double>(sample.waiting) *
                               (simulation.samples[i + 1].time - sample.time);
    }
    const double first = workload.jobs.empty() ? 0 : workload.jobs.front().submit;
    out.makespan = std::max(0.0, last - first);
    if (out.makespan > 0) {
        out.waiting_mean = waiting_seconds / out.makespan;
        const double all = static_cast<double>(machine.cores) * out.makespan;
        if (machine.cores) out.utilisation = used / all;
    }
    out.wait = distribution_of(std::move(waits.wait));
    out.slowdown = distribution_of(std::move(waits.slowdown));
    out.bounded_slowdown = distribution_of(std::move(waits.bounded));
    return out;
}

}  // namespace sluice
