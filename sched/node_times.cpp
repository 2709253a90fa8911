#include "sched/node_times.hpp"

#include <algorithm>

namespace sluice {

void NodeTimes::reset(std::size_t nodes) {
    idle_at_.assign(nodes, 0);
    jobs_.assign(nodes, {});
}

void NodeTimes::add(JobId id, std::span<const NodeIndex> nodes, double end) {
    for (const NodeIndex node : nodes) {
        jobs_[node].emplace_back(id, end);
        idle_at_[node] = std::max(idle_at_[node], end);
    }
}

void NodeTimes::remove(JobId id, std::span<const NodeIndex> nodes) {
    for (const NodeIndex node : nodes) {
        auto& jobs = jobs_[node];
        const auto found = std::ranges::find(jobs, id, &std::pair<JobId, double>::first);
        if (found == jobs.end()) continue;
        *found = jobs.back();
        jobs.pop_back();
        refresh(node);
    }
}

void NodeTimes::refresh(NodeIndex node) {
    double idle = 0;
    for (const auto& [id, end] : jobs_[node]) idle = std::max(idle, end);
    idle_at_[node] = idle;
}

std::vector<Word> NodeTimes::idle_from(double time) const {
    std::vector<Word> idle(words_for(idle_at_.size()));
    for (std::size_t node = 0; node < idle_at_.size(); ++node)
        idle[node / word_bits] |= Word{idle_at_[node] <= time} << (node % word_bits);
    return idle;
}

}  // namespace sluice
