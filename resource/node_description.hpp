// What one node has, as its broker found it: host name, logical cores, GPUs, and which of them are
// close to each other (sockets, NUMA nodes). The payload of resource.report.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

/// Cores and GPUs under one socket or NUMA node. A GPU may be known to hang off no domain.
struct LocalityDomain {
    enum class Kind : std::uint8_t { socket, numa } kind = Kind::numa;
    Idset cores, gpus;
    friend bool operator==(const LocalityDomain&, const LocalityDomain&) = default;
};
/// The domains of one node; sockets may hold NUMA nodes or the other way round (containment of the
/// core sets decides). Empty: nothing is known, the node is flat.
using Locality = std::vector<LocalityDomain>;
/// Localities by rank; ranks that are missing are flat.
using LocalityMap = std::map<std::uint32_t, Locality>;

struct NodeDescription {
    std::string hostname;
    Idset cores, gpus;
    Locality locality;

    JsonObject to_json() const;
    /// Errors: EPROTO naming the key.
    static Result<NodeDescription> from_json(const JsonObject& object);
    friend bool operator==(const NodeDescription&, const NodeDescription&) = default;
};

}  // namespace sluice
