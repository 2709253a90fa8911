// What a shell is told by the launcher of its broker: the message shell.launch.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/strong_id.hpp"

namespace sluice::shell {

struct LaunchInfo {
    JobId id;
    UserId owner = userid_unknown;  // of the instance
    UserId userid;
    std::uint32_t shell_rank = 0, nnodes = 1;
    ResourceSet resources;  // R, of all nodes
    Jobspec jobspec;        // with its environment
    // The broker this shell belongs to.
    Rank rank;
    std::string hostname, uri, rundir, jobid_path;
    std::int64_t instance_level = 0;
    std::string interface_hint;  // attribute tbon.interface-hint, may be empty

    /// Errors: EPROTO or EINVAL naming the key.
    static Result<LaunchInfo> from_json(const JsonObject& payload);

    bool leader() const { return shell_rank == 0; }
    /// Our node in R; R's nodes are in shell order.
    const ResourceSet::Node& node() const { return resources.nodes()[shell_rank]; }
    /// Broker rank of another shell of this job.
    std::uint32_t broker_rank(std::uint32_t shell) const { return resources.nodes()[shell].rank; }
    /// "<uid>-shell-<f58plain>": the service of every shell of this job (wire.md 2.15).
    std::string service() const;
};

}  // namespace sluice::shell
