#include "resource/search/findings.hpp"

#include <unordered_map>

namespace sluice {
namespace {

/// The lowest score of the run of consecutive scores that each score lies in.
std::unordered_map<std::int64_t, std::int64_t> runs_of(const std::vector<Bundle>& bundles) {
    std::vector<std::int64_t> scores;
    for (const Bundle& bundle : bundles) scores.push_back(bundle.score);
    std::ranges::sort(scores);
    std::unordered_map<std::int64_t, std::int64_t> start;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const bool goes_on = i > 0 && scores[i] - scores[i - 1] <= 1;
        start[scores[i]] = goes_on ? start.at(scores[i - 1]) : scores[i];
    }
    return start;
}

}  // namespace

bool Offers::choose(std::uint64_t count, MatchPolicy::Order order) {
    if (count == 0 || count > count_) return false;
    switch (order) {
        case MatchPolicy::Order::low:
        case MatchPolicy::Order::variation:
            std::ranges::sort(bundles_, std::less<>{}, &Bundle::score);
            break;
        case MatchPolicy::Order::high:
            std::ranges::sort(bundles_, std::greater<>{}, &Bundle::score);
            break;
        case MatchPolicy::Order::locality: {
            const auto start = runs_of(bundles_);
            std::ranges::sort(bundles_, std::greater<>{},
                              [&](const Bundle& bundle) { return start.at(bundle.score); });
            break;
        }
    }
    chosen_ = 0;
    for (std::uint64_t taken = 0; taken < count; ++chosen_) taken += bundles_[chosen_].count;
    return true;
}

void Findings::merge(const Findings& other) {
    for (std::size_t i = 0; i < by_subsystem_.size(); ++i)
        for (const auto& [type, offers] : other.by_subsystem_[i])
            by_subsystem_[i][type].merge(offers);
}

}  // namespace sluice
