// Groups of nodes (racks, switches, …) and the choice of nodes that keeps a job in few of them, or
// in as many as it asks for. Each type of group is a view of its own over the same nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resource/inventory.hpp"
#include "resource/topology_config.hpp"

namespace sluice {

/// A node (position in the inventory) and how many of the nodes or slots wanted it gives.
struct NodeUnits {
    std::size_t node = 0;
    std::uint64_t units = 0;
    friend bool operator==(const NodeUnits&, const NodeUnits&) = default;
};

/// Groups that a job asks for: its nodes or slots in equal parts from `count` of them.
struct GroupRequest {
    std::string type;
    std::uint32_t count = 0;  // 0: none asked for
    friend bool operator==(const GroupRequest&, const GroupRequest&) = default;
};
/// Of a jobspec that has been checked (Jobspec::from_json).
GroupRequest group_request_of(const JsonObject& jobspec);

class NodeGroups {
  public:
    struct View {
        std::string type;
        std::vector<std::uint32_t> of_node;  // which group; `count` for nodes in none
        std::uint32_t count = 0;             // of groups
    };

    NodeGroups() = default;
    /// Hosts that the inventory lacks are passed over.
    NodeGroups(const SiteTopology& topology, const Inventory& inventory);
    const View* find(std::string_view type) const;
    /// The view in which a job is kept together when it names none: switches, else racks, else the
    /// first that was given; nullptr without any.
    const View* default_view() const;

  private:
    std::vector<View> views_;
};

/// Takes `wanted` units in as few groups as can be: in the one that fits most tightly, or else in
/// the largest and so on. `offers` come in the order in which nodes are to be taken; so does the
/// result. nullopt when they do not have so much.
std::optional<std::vector<NodeUnits>> take_together(const NodeGroups::View& view,
                                                    std::span<const NodeUnits> offers,
                                                    std::uint64_t wanted);
/// Takes `wanted` units in equal parts from `groups` groups, those that fit most tightly.
std::optional<std::vector<NodeUnits>> take_apart(const NodeGroups::View& view,
                                                 std::span<const NodeUnits> offers,
                                                 std::uint64_t wanted, std::uint32_t groups);

}  // namespace sluice
