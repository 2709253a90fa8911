#include "sched/summary.hpp"

#include <utility>
#include <vector>

namespace sluice {

std::string resource_summary(const ResourceSet& R) {
    std::vector<std::pair<const ResourceSet::Node*, Idset>> groups;  // alike, and their ranks
    for (const ResourceSet::Node& node : R.nodes()) {
        auto group = groups.begin();
        while (group != groups.end() &&
               (group->first->cores != node.cores || group->first->gpus != node.gpus))
            ++group;
        if (group == groups.end()) group = groups.insert(group, {&node, {}});
        group->second.insert(node.rank);
    }
    std::string text;
    for (const auto& [node, ranks] : groups) {
        if (!text.empty()) text += ' ';
        text += "rank" + ranks.to_bracketed() + '/';
        if (!node->cores.empty()) text += "core" + node->cores.to_bracketed();
        if (!node->cores.empty() && !node->gpus.empty()) text += ',';
        if (!node->gpus.empty()) text += "gpu" + node->gpus.to_bracketed();
    }
    return text;
}

}  // namespace sluice
