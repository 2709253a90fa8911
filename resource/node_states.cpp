#include "resource/node_states.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

namespace sluice {
namespace {

/// "rank 3 already drained", "ranks 3-4 already drained"
Error refusal(int errnum, const Idset& ranks, std::string_view what) {
    return fail(errnum, "rank{} {} {}", ranks.size() > 1 ? "s" : "", ranks.to_string(), what);
}

}  // namespace

Idset NodeStates::drained_ranks() const {
    Idset ranks;
    for (const auto& [rank, drained] : drained_) ranks.insert(rank);
    return ranks;
}

Idset NodeStates::set_online(const Idset& ranks) {
    Idset changed = ranks - online_;
    online_ |= ranks;
    return changed;
}

Idset NodeStates::set_offline(const Idset& ranks) {
    Idset changed = ranks & online_;
    online_ -= ranks;
    return changed;
}

Result<void> NodeStates::drain(const Idset& ranks, const std::string& reason, DrainMode mode,
                                double now) {
    if (const Idset excluded = ranks & excluded_; !excluded.empty())
        return refusal(EINVAL, excluded, "excluded");
    Idset explained;  // drained for a known reason
    for (const auto& [rank, drained] : drained_)
        if (ranks.contains(rank) && !drained.reason.empty()) explained.insert(rank);
    if (mode == DrainMode::refuse && !explained.empty())
        return refusal(EEXIST, explained, "already drained");
    const bool overwrites = mode == DrainMode::overwrite || mode == DrainMode::force_overwrite;
    for (const std::uint32_t rank : ranks) {
        const auto [found, is_new] = drained_.try_emplace(rank);
        if (is_new || mode == DrainMode::force_overwrite) found->second.timestamp = now;
        if (overwrites || !explained.contains(rank)) found->second.reason = reason;
    }
    return {};
}

Result<void> NodeStates::undrain(const Idset& ranks, bool any) {
    const Idset drained = ranks & drained_ranks();
    if (const Idset other = ranks - drained; !any && !other.empty())
        return refusal(EINVAL, other, "not drained");
    for (const std::uint32_t rank : drained) drained_.erase(rank);
    return {};
}

JsonObject NodeStates::drain_json() const {
    std::vector<std::pair<const Drained*, Idset>> groups;
    for (const auto& [rank, drained] : drained_) {
        auto group = std::ranges::find_if(
            groups, [&state = drained](const auto& g) { return *g.first == state; });
        if (group == groups.end()) group = groups.insert(group, {&drained, {}});
        group->second.insert(rank);
    }
    JsonObject json;
    for (const auto& [drained, ranks] : groups) {
        JsonObject& entry = json[ranks.to_string()].emplace_object();
        entry["timestamp"] = std::round(drained->timestamp);  // whole seconds, as the reference
        entry["reason"] = drained->reason;
    }
    return json;
}

Result<Idset> find_ranks(std::string_view targets, const ResourceSet& R) {
    const bool digits = !targets.empty() && std::ranges::all_of(targets, [](unsigned char c) {
        return std::isdigit(c) || c == ',' || c == '-' || c == '[' || c == ']';
    });
    if (digits) {
        SLUICE_TRY(Idset ranks, Idset::parse(targets));
        if (!(ranks - R.ranks()).empty())
            return fail(EINVAL, "idset is out of range");
        return ranks;
    }
    SLUICE_TRY(const Hostlist hosts, Hostlist::parse(targets));
    Idset ranks;
    Hostlist unknown;
    for (const std::string& host : hosts.hosts()) {
        bool known = false;
        for (const ResourceSet::Node& node : R.nodes()) {
            if (node.host != host) continue;
            ranks.insert(node.rank);
            known = true;
        }
        if (!known) unknown.append(host);
    }
    if (!unknown.empty() || hosts.empty())
        return fail(EINVAL, "invalid hosts: {}", unknown.to_string());
    return ranks;
}

Result<DrainMode> parse_drain_mode(std::string_view text) {
    if (text == "update") return DrainMode::update;
    if (text == "overwrite") return DrainMode::overwrite;
    if (text == "force-overwrite") return DrainMode::force_overwrite;
    return fail(EINVAL, "mode: found '{}'; use update, overwrite or force-overwrite", text);
}

}  // namespace sluice
