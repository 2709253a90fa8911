// The tree of brokers as `flux overlay status` prints it (cli.md 3.7). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

struct OverlayNode {
    std::uint32_t rank = 0;
    std::string status;  // full, partial, degraded, lost, offline
    double seconds = 0;  // in that status
    std::string error;
    bool ghost = false;                 // below a broker that cannot be asked
    std::optional<double> rpc_seconds;  // time of the answer
    std::vector<OverlayNode> children;
};

struct OverlayTreeOptions {
    int verbose = 0;     // 1: for how long, 2: time of the answers too
    bool down = false;   // only what is not full
    bool pretty = true;  // connectors
    bool ghosts = true;
    bool color = false;
    Idset highlight;  // these and their ancestors are marked
};

std::string overlay_tree(const OverlayNode& root, const Hostlist& hosts,
                         const OverlayTreeOptions& options);

/// "hosts: message" for each different error in the tree.
std::string overlay_errors(const OverlayNode& root, const Hostlist& hosts);

}  // namespace sluice
