// When each node becomes idle by the known ends of the jobs on it, and which nodes could hold a job
// of whole nodes at a time: sets of nodes as words, to rule out most times without a match.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/strong_id.hpp"
#include "resource/bitmap.hpp"

namespace sluice {

using NodeIndex = std::uint32_t;  // position in the inventory

class NodeTimes {
  public:
    void reset(std::size_t nodes);
    void add(JobId id, std::span<const NodeIndex> nodes, double end);
    void remove(JobId id, std::span<const NodeIndex> nodes);
    /// Seconds since the epoch: 0 when nothing runs there, never when an end is not known.
    double idle_at(NodeIndex node) const { return idle_at_[node]; }
    /// The nodes that are idle from `time` on.
    std::vector<Word> idle_from(double time) const;

  private:
    void refresh(NodeIndex node);

    std::vector<double> idle_at_;
    std::vector<std::vector<std::pair<JobId, double>>> jobs_;  // on each node, with their ends
};

}  // namespace sluice
