// The most that any node of a range has free, as a tree over the nodes: finding the next node with
// enough free cores and GPUs costs a logarithm, not a walk over a busy cluster.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

struct NodeRoom {
    std::uint32_t cores = 0;
    std::uint32_t gpus : 31 = 0;
    std::uint32_t idle : 1 = 0;  // nothing of the node is in use
    friend bool operator==(const NodeRoom&, const NodeRoom&) = default;
};

class FreeTree {
  public:
    explicit FreeTree(std::size_t nodes = 0)
        : leaves_(std::bit_ceil(std::max<std::size_t>(nodes, 1))), room_(2 * leaves_) {}

    const NodeRoom& room(std::size_t node) const { return room_[leaves_ + node]; }
    void set(std::size_t node, NodeRoom room) {
        std::size_t at = leaves_ + node;
        room_[at] = room;
        while (at /= 2) {
            const NodeRoom most = join(room_[2 * at], room_[2 * at + 1]);
            if (most == room_[at]) return;
            room_[at] = most;
        }
    }
    /// As set, for many: rebuild() has to follow before anything is looked up.
    void set_leaf(std::size_t node, NodeRoom room) { room_[leaves_ + node] = room; }
    void rebuild() {
        for (std::size_t at = leaves_ - 1; at > 0; --at)
            room_[at] = join(room_[2 * at], room_[2 * at + 1]);
    }
    /// The first node from `from` on with at least `need`.
    std::optional<std::size_t> next(std::size_t from, NodeRoom need) const {
        return find<true>(from, need);
    }
    /// The last node up to and including `upto` with at least `need`.
    std::optional<std::size_t> previous(std::size_t upto, NodeRoom need) const {
        return find<false>(upto, need);
    }

  private:
    static NodeRoom join(NodeRoom a, NodeRoom b) {
        NodeRoom most;
        most.cores = std::max(a.cores, b.cores);
        most.gpus = std::max<std::uint32_t>(a.gpus, b.gpus);
        most.idle = a.idle | b.idle;
        return most;
    }
    static bool enough(NodeRoom room, NodeRoom need) {
        return room.cores >= need.cores && room.gpus >= need.gpus && room.idle >= need.idle;
    }
    template <bool Up>
    std::optional<std::size_t> find(std::size_t from, NodeRoom need) const {
        if (from >= leaves_) return std::nullopt;
        std::size_t at = leaves_ + from;
        for (;;) {
            // A range may hold enough cores in one node and enough GPUs in another: then go on.
            if (enough(room_[at], need)) {
                if (at >= leaves_) return at - leaves_;
                at = 2 * at + (Up ? 0 : 1);
                continue;
            }
            while ((at & 1) == (Up ? 1 : 0)) at /= 2;
            if (at <= 1) return std::nullopt;
            at += Up ? 1 : std::size_t(-1);
        }
    }
    std::size_t leaves_;
    std::vector<NodeRoom> room_;
};

}  // namespace sluice
