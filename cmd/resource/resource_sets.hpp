// What the flux resource commands show: the scheduler's three sets and the configuration, limited
// to the ranks that the user asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/idset.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/rpc/handle.hpp"
#include "cmd/cli.hpp"

namespace sluice {

struct ResourceSets {
    ResourceSet all, down, allocated;
    JsonObject config;

    /// "all", "up", "down", "allocated" or "free".
    /// Errors: EINVAL "Invalid resource state X specified".
    Result<ResourceSet> in_state(std::string_view state) const;
    ResourceSets only_ranks(const Idset& ranks) const;
};

Result<ResourceSets> load_resource_sets(Handle& flux);
/// From the text of such an answer. Errors: EPROTO.
Result<ResourceSets> parse_resource_sets(const std::string& text);

/// Options -q and -i.
struct RankFilter {
    std::vector<std::string> queues;  // each may be a list
    std::string include;              // idset or hostlist
    void declare(Cli& cli);
    /// Ranks of `all` that pass. Errors: EINVAL "--queue: X: no such queue", "--include: …".
    Result<Idset> ranks(const ResourceSet& all, const JsonObject& config) const;
};

/// Names of the queues whose nodes `properties` make a node of, joined by commas.
std::string queues_of(const std::vector<std::string>& properties, const JsonObject& config);
/// Properties of a rank, in order of their names.
std::vector<std::string> properties_of(const ResourceSet& R, std::uint32_t rank);
std::string join(const std::vector<std::string>& words, std::string_view separator);

}  // namespace sluice
