// How a broker learns who it is: its rank, the instance's size and hosts, and the shape of the tree
// (cli.md 4.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/strong_id.hpp"
#include "broker/overlay/topology.hpp"

namespace sluice {

struct Bootstrap {
    std::string method = "single";  // attribute broker.boot-method
    Rank rank;
    std::uint32_t size = 1;
    Hostlist hosts;                 // by rank
    Topology topology;
    std::string topo;               // attribute tbon.topo
    std::uint32_t instance_level = 0;
    std::optional<std::string> jobid;    // the job this instance is, in the enclosing instance
    std::optional<std::string> mapping;  // RFC 34: brokers to nodes
};

/// An instance of one broker that nobody told anything.
Bootstrap bootstrap_single(const std::string& hostname);

}  // namespace sluice
