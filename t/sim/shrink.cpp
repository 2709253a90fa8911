#include "t/sim/shrink.hpp"

#include <fmt/format.h>

#include "t/sim/cluster.hpp"

namespace sluice::sim {
namespace {

/// Leaves out `items` in ever smaller pieces for as long as the plan fails.
template <class T>
void reduce(Plan& plan, std::vector<T> Plan::*items, const std::string& folder) {
    for (std::size_t piece = (plan.*items).size(); piece > 0; piece /= 2) {
        for (std::size_t at = 0; at < (plan.*items).size();) {
            Plan smaller = plan;
            auto& list = smaller.*items;
            const auto from = list.begin() + static_cast<std::ptrdiff_t>(at);
            list.erase(from, from + static_cast<std::ptrdiff_t>(std::min(piece, list.size() - at)));
            if (Cluster{smaller, folder, false}.run().wrong.empty()) at += piece;
            else plan = std::move(smaller);
        }
    }
}

}  // namespace

std::string text_of_shortest(const Plan& plan, const std::string& folder) {
    Plan left = plan;
    reduce(left, &Plan::faults, folder);
    reduce(left, &Plan::jobs, folder);
    reduce(left, &Plan::faults, folder);
    const Outcome outcome = Cluster{left, folder, false}.run();
    std::string text = fmt::format("  the shortest that fails: {}\n", outcome.wrong);
    for (const Fault& fault : left.faults) text += "    " + text_of(fault) + "\n";
    for (const JobPlan& job : left.jobs) text += "    " + text_of(job) + "\n";
    return text;
}

}  // namespace sluice::sim
