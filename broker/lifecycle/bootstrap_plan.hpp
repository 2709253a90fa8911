// [bootstrap] of the configuration as a plan: who has which rank, binds where, and is reached where
// (cli.md 4.4, 5). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/strong_id.hpp"
#include "broker/overlay/topology.hpp"

namespace sluice {

struct HostPlan {
    std::string host, bind, connect;  // %h and %p replaced; empty: not given
    std::optional<std::string> parent;
    friend bool operator==(const HostPlan&, const HostPlan&) = default;
};

struct BootstrapPlan {
    std::vector<HostPlan> hosts;  // by rank
    std::string curve_cert;       // path; empty: not given
    bool enable_ipv6 = false;

    /// The plan of table `bootstrap`. A host named twice counts once; later entries fill in what
    /// earlier ones left open. Errors: EINVAL naming key and host.
    static Result<BootstrapPlan> parse(const JsonObject& bootstrap);
    Hostlist hostlist() const;
    /// Position of `hostname`, else of its part before the first dot.
    /// Errors: EINVAL it is not in hosts.
    Result<Rank> rank_of(std::string_view hostname) const;
    /// The tree: that of `kind`, or for "custom" the one of the parent keys.
    /// Errors: EINVAL a parent that is not in hosts, a loop.
    Result<Topology> topology(TopologyKind kind) const;
};

}  // namespace sluice
