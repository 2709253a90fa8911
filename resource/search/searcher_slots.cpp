// The searcher's slots, and its walk that stops when enough is found.
#include <algorithm>
#include <map>
#include <set>

#include "resource/search/searcher.hpp"

namespace sluice {
namespace {

/// Progress towards whole shares of one type. A vertex is given whole: what is left of it over a
/// share counts for nothing, for a slot takes it all.
struct Shares {
    std::uint64_t per_share = 0, seen = 0, towards = 0, complete = 0;

    bool enough(std::uint64_t wanted) const { return per_share == 0 || complete >= wanted; }
    void add(std::uint64_t amount) {
        towards += amount;
        if (per_share == 0 || towards < per_share) return;
        ++complete;
        towards = 0;
    }
};

/// Slots that whole bundles make up, given how much of each type one slot wants.
std::uint64_t slots_possible(const Findings& found, const std::vector<Request>& shape) {
    std::uint64_t possible = UINT64_MAX;
    for (const Request& part : shape) {
        const auto& types = found.of(0);
        const auto offers = types.find(part.type);
        if (offers == types.end()) return 0;
        Shares shares{.per_share = part.count.largest(offers->second.count())};
        if (shares.per_share == 0) return 0;
        for (const Bundle& bundle : offers->second.bundles())
            shares.add(bundle.offers.front().count);
        possible = std::min(possible, shares.complete);
    }
    return possible == UINT64_MAX ? 0 : possible;
}

/// Takes bundles of a type in order until they make up `count`. False if they run out.
bool take(const Offers& offers, std::size_t& next, std::uint64_t count, Bundle& slot) {
    for (std::uint64_t taken = 0; taken < count; ++next) {
        if (next >= offers.bundles().size()) return false;
        const Bundle& bundle = offers.bundles()[next];
        const Offer& offer = bundle.offers.front();
        slot.offers.push_back({offer.edge, offer.count, offer.count, true});
        slot.score += bundle.score;
        taken += offer.count;
    }
    return true;
}

/// Chooses among alternative slots so that most of them fit. Remembers what it has worked out, by
/// the amounts that are left.
class Alternatives {
  public:
    using Left = std::map<std::string_view, std::uint64_t>;
    struct Choice {
        std::uint64_t slots = 0;  // that fit from here
        const Request* first = nullptr;
        Left then;
    };
    Alternatives(const std::vector<const Request*>& slots, std::uint64_t limit)
        : slots_(slots), limit_(limit) {}

    const Choice& best(const Left& left, std::uint64_t taken = 0) {
        if (const auto known = known_.find(left); known != known_.end()) return known->second;
        Choice best;
        for (const Request* slot : slots_) {
            const auto then = without(left, *slot);
            if (!then || taken >= limit_ || known_.size() >= known_max) continue;
            const std::uint64_t slots = this->best(*then, taken + 1).slots + 1;
            if (slots > best.slots) best = {slots, slot, *then};
        }
        return known_[left] = best;
    }

  private:
    static constexpr std::size_t known_max = 20000;
    static std::optional<Left> without(Left left, const Request& slot) {
        for (const Request& part : slot.with) {
            const std::uint64_t count = part.count.largest(left[part.type]);
            if (count == 0) return std::nullopt;
            left[part.type] -= count;
        }
        return left;
    }
    const std::vector<const Request*>& slots_;
    std::uint64_t limit_;
    std::map<Left, Choice> known_;
};

}  // namespace

const Searcher::Edges& Searcher::ordered(VertexId vertex) {
    const auto [found, is_new] = order_.try_emplace(vertex);
    if (is_new)
        for (const auto& edge : graph_.out(vertex))
            found->second.emplace(
                std::pair{weights_[graph_[edge].id], graph_[graph_.to(edge)].uniq_id}, edge);
    return found->second;
}

void Searcher::set_weight(const TypedGraph::EdgeRef& edge, std::uint64_t weight) {
    const EdgeId id = graph_[edge].id;
    const std::int64_t uniq_id = graph_[graph_.to(edge)].uniq_id;
    if (const auto order = order_.find(graph_.from(edge)); order != order_.end()) {
        const auto [first, last] = order->second.equal_range({weights_[id], uniq_id});
        for (auto at = first; at != last; ++at)
            if (graph_[at->second].id == id) {
                order->second.erase(at);
                break;
            }
        order->second.emplace(std::pair{weight, uniq_id}, edge);
    }
    weights_[id] = weight;
}

bool Searcher::explore_until_enough(VertexId vertex, std::size_t subsystem,
                                    const Requests& requests, bool pristine, bool exclusive,
                                    Way way, Findings& found, std::uint64_t shares) {
    std::map<std::string_view, Shares> progress;
    for (const Request& request : requests)
        progress[request.type].per_share = request.count.largest(CountRange::unbounded);
    bool any = false;
    for (const auto& [weight, edge] : ordered(vertex)) {
        const auto known = progress.find(graph_[graph_.to(edge)].type);
        if (known != progress.end() && known->second.enough(shares)) continue;
        if (!explore_edge(edge, subsystem, requests, pristine, exclusive, way, found)) continue;
        any = true;
        // What one child brings, in itself and from below, is one lump.
        bool enough = true;
        for (auto& [type, share] : progress) {
            const std::uint64_t total = found.count(subsystem, type);
            if (total > share.seen) share.add(total - share.seen);
            share.seen = total;
            enough &= share.enough(shares);
        }
        if (enough) break;
    }
    return any;
}

bool Searcher::find_slots(VertexId vertex, const Requests& shape, std::uint64_t slots,
                          bool pristine, Findings& found) {
    Findings parts(options_.subsystems.size());
    if (!explore(vertex, 0, shape, pristine, true, Way::down, parts, slots)) return false;
    const auto order = options_.policy.order == MatchPolicy::Order::low
                           ? MatchPolicy::Order::low
                           : MatchPolicy::Order::high;
    for (auto& [type, offers] : parts.of(0)) offers.choose(offers.count(), order);
    const std::uint64_t possible = slots_possible(parts, shape);
    std::map<std::string_view, std::size_t> next;
    std::vector<Bundle> bundles;
    for (std::uint64_t i = 0; i < possible; ++i) {
        Bundle slot{.score = 1, .count = 1};
        for (const Request& part : shape) {
            const Offers& offers = parts.of(0, part.type);
            if (!take(offers, next[part.type], part.count.largest(offers.count()), slot))
                return false;
        }
        bundles.push_back(std::move(slot));
    }
    for (Bundle& slot : bundles) found.of(0, "slot").add(std::move(slot));
    return possible > 0;
}

bool Searcher::find_alternatives(VertexId vertex, const Requests& slots, std::uint64_t count,
                                 bool pristine, Findings& found) {
    std::map<std::string_view, Request> wanted;  // of each type the most that any slot wants
    std::vector<const Request*> kinds;
    for (const Request& slot : slots) {
        if (!slot.slot()) continue;
        kinds.push_back(&slot);
        for (const Request& part : slot.with) {
            const auto [known, is_new] = wanted.emplace(part.type, part);
            if (!is_new && known->second.count.min < part.count.min) known->second = part;
        }
    }
    Requests all;
    for (const auto& [type, request] : wanted) all.push_back(request);
    Findings parts(options_.subsystems.size());
    if (!explore(vertex, 0, all, pristine, true, Way::down, parts, count)) return false;
    const auto order = options_.policy.order == MatchPolicy::Order::low
                           ? MatchPolicy::Order::low
                           : MatchPolicy::Order::high;
    for (auto& [type, offers] : parts.of(0)) offers.choose(offers.count(), order);
    Alternatives::Left left;
    for (const auto& [type, request] : wanted) left[type] = parts.count(0, type);
    Alternatives alternatives{kinds, count};
    std::map<std::string_view, std::size_t> next;
    std::vector<Bundle> bundles;
    for (const auto* choice = &alternatives.best(left); choice->first;
         choice = &alternatives.best(choice->then)) {
        Bundle slot{.score = 1, .count = 1};
        for (const Request& part : choice->first->with) {
            const Offers& offers = parts.of(0, part.type);
            if (!take(offers, next[part.type], part.count.largest(offers.count()), slot))
                return false;
        }
        bundles.push_back(std::move(slot));
    }
    for (Bundle& slot : bundles) found.of(0, "slot").add(std::move(slot));
    return !bundles.empty();
}

}  // namespace sluice
