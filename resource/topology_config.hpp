// [[resource.topology]]: which hosts are together in a rack, on a switch, or in any other group of
// nodes. Types are views of their own: the racks say nothing about the switches.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"

namespace sluice {

struct TopologyGroup {
    std::string type, name;
    Hostlist hosts;
    friend bool operator==(const TopologyGroup&, const TopologyGroup&) = default;
};
using SiteTopology = std::vector<TopologyGroup>;

/// Reads entries {type, name, hosts}. A host is in one group of a type at most.
/// Errors: EINVAL "resource.topology[0]: what was found; the cure".
Result<SiteTopology> read_topology(const JsonArray& entries);
/// The same from the whole configuration; empty without the table.
Result<SiteTopology> topology_of_config(const JsonObject& config);

}  // namespace sluice
