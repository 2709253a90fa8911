#include "broker/overlay/peer_health.hpp"

#include <algorithm>

namespace sluice {

std::string_view subtree_status_name(SubtreeStatus status) {
    switch (status) {
        case SubtreeStatus::unknown: return "unknown";
        case SubtreeStatus::full: return "full";
        case SubtreeStatus::partial: return "partial";
        case SubtreeStatus::degraded: return "degraded";
        case SubtreeStatus::lost: return "lost";
        case SubtreeStatus::offline: return "offline";
    }
    return "unknown";
}

PeerTable::PeerTable(Rank self, const std::vector<Rank>& children, double now) : self_(self) {
    for (const Rank child : children) peers_[child] = Peer{.rank = child, .since = now};
    update_overall(now);
}

void PeerTable::set(Peer& peer, SubtreeStatus status, double now) {
    if (peer.status != status) {
        peer.status = status;
        peer.since = now;
    }
    update_overall(now);
}

void PeerTable::online(Rank child, const std::string& uuid, SubtreeStatus status, int connection,
                       double now) {
    Peer& peer = peers_.at(child);
    by_uuid_.erase(peer.uuid);
    peer.uuid = uuid;
    peer.error.clear();
    peer.connection = connection;
    peer.heard = now;
    peer.torpid = false;
    by_uuid_.insert_or_assign(uuid, child);
    set(peer, status, now);
}

void PeerTable::offline(Rank child, double now) {
    Peer& peer = peers_.at(child);
    by_uuid_.erase(peer.uuid);
    peer.uuid.clear();
    peer.connection = -1;
    set(peer, SubtreeStatus::offline, now);
}

void PeerTable::lost(Rank child, std::string reason, double now) {
    Peer& peer = peers_.at(child);
    offline(child, now);
    peer.error = std::move(reason);
    set(peer, SubtreeStatus::lost, now);
}

void PeerTable::status(const std::string& uuid, SubtreeStatus status, double now) {
    const auto found = by_uuid_.find(uuid);
    if (found != by_uuid_.end()) set(peers_.at(found->second), status, now);
}

void PeerTable::heard(const std::string& uuid, double now) {
    const auto found = by_uuid_.find(uuid);
    if (found != by_uuid_.end()) peers_.at(found->second).heard = now;
}

std::vector<Peer> PeerTable::update_torpid(double silence, double now) {
    std::vector<Peer> changed;
    for (auto& [rank, peer] : peers_) {
        const bool torpid = peer.online() && now - peer.heard > silence;
        if (torpid == peer.torpid) continue;
        peer.torpid = torpid;
        changed.push_back(peer);
    }
    return changed;
}

const Peer* PeerTable::find(Rank child) const {
    const auto found = peers_.find(child);
    return found == peers_.end() ? nullptr : &found->second;
}

const Peer* PeerTable::find(std::string_view uuid) const {
    const auto found = by_uuid_.find(uuid);
    return found == by_uuid_.end() ? nullptr : find(found->second);
}

const Peer* PeerTable::find_connection(int connection) const {
    for (const auto& [rank, peer] : peers_)
        if (peer.connection == connection && connection >= 0) return &peer;
    return nullptr;
}

Idset PeerTable::online_ranks() const {
    Idset ranks;
    for (const auto& [rank, peer] : peers_)
        if (peer.online()) ranks.insert(rank.value);
    return ranks;
}

void PeerTable::update_overall(double now) {
    const auto any = [&](std::initializer_list<SubtreeStatus> wanted) {
        return std::ranges::any_of(peers_, [&](const auto& entry) {
            return std::ranges::find(wanted, entry.second.status) != wanted.end();
        });
    };
    SubtreeStatus status = SubtreeStatus::full;
    if (any({SubtreeStatus::lost, SubtreeStatus::degraded})) {
        status = SubtreeStatus::degraded;
    } else if (any({SubtreeStatus::offline, SubtreeStatus::partial, SubtreeStatus::unknown})) {
        status = SubtreeStatus::partial;
    }
    if (status == overall_) return;
    overall_ = status;
    since_ = now;
}

JsonObject PeerTable::health(double now) const {
    JsonArray children;
    for (const auto& [rank, peer] : peers_) {
        JsonObject child{{"rank", rank.value},
                         {"status", subtree_status_name(peer.status)},
                         {"duration", now - peer.since}};
        if (!peer.error.empty()) child["error"] = peer.error;
        children.push_back(std::move(child));
    }
    return {{"rank", self_.value},
            {"status", subtree_status_name(overall_)},
            {"duration", now - since_},
            {"children", std::move(children)}};
}

}  // namespace sluice
