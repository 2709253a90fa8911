// What a broker knows about its direct children and their subtrees (overlay.health). Pure; times
// are monotonic seconds, given by the caller.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/rfc/idset.hpp"
#include "base/strong_id.hpp"

namespace sluice {

/// The numbers travel in control messages and in hello.
enum class SubtreeStatus : int { unknown, full, partial, degraded, lost, offline };
std::string_view subtree_status_name(SubtreeStatus status);

struct Peer {
    Rank rank;
    std::string uuid;  // empty while offline
    SubtreeStatus status = SubtreeStatus::offline;
    double since = 0;  // time of the present status
    double heard = 0;  // time of its last message
    bool torpid = false;
    int connection = -1;
    std::string error;  // why it was lost
    bool online() const {
        return status != SubtreeStatus::offline && status != SubtreeStatus::lost;
    }
};

class PeerTable {
  public:
    PeerTable(Rank self, const std::vector<Rank>& children, double now);

    /// The child came, with a new uuid.
    void online(Rank child, const std::string& uuid, SubtreeStatus status, int connection,
                double now);
    /// The child said goodbye (offline) or vanished (lost, with the reason).
    void offline(Rank child, double now);
    void lost(Rank child, std::string reason, double now);
    void status(const std::string& uuid, SubtreeStatus status, double now);
    void heard(const std::string& uuid, double now);
    /// Marks children silent for over `silence` seconds; those whose mark has changed.
    std::vector<Peer> update_torpid(double silence, double now);

    const Peer* find(Rank child) const;
    const Peer* find(std::string_view uuid) const;
    const Peer* find_connection(int connection) const;
    const std::map<Rank, Peer>& peers() const { return peers_; }
    Idset online_ranks() const;
    /// Of this broker and all below it.
    SubtreeStatus overall() const { return overall_; }
    JsonObject health(double now) const;

  private:
    void update_overall(double now);
    void set(Peer& peer, SubtreeStatus status, double now);

    Rank self_;
    std::map<Rank, Peer> peers_;
    std::map<std::string, Rank, std::less<>> by_uuid_;
    SubtreeStatus overall_ = SubtreeStatus::unknown;
    double since_ = 0;
};

}  // namespace sluice
