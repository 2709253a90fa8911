// The tables [resource] and [fake-resources] of the configuration (cli.md 5), and the resource sets
// that they describe. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/node_description.hpp"

namespace sluice {

/// R of [[resource.config]]: {hosts, cores?, gpus?, properties?}; a host may be named by several
/// entries. Ranks are given from 0 in the order of the hosts' first appearance.
/// Errors: EINVAL "config[0]: …" or "resource.config: …".
Result<ResourceSet> resource_set_of_entries(const JsonArray& entries);

/// What to do when a node has more or less than R says.
struct VerifyRule {
    enum class Mode : std::uint8_t { strict, allow_extra, allow_missing, ignore };
    // A probe without the GPUs' runtime sees none; R may know better (upstream's default).
    Mode hostname = Mode::strict, core = Mode::allow_extra, gpu = Mode::ignore;
    friend bool operator==(const VerifyRule&, const VerifyRule&) = default;
};

struct FakeResources {
    std::uint32_t nnodes = 0, cores_per_node = 64, gpus_per_node = 0;
    std::string host_prefix = "fake";
    ResourceSet resource_set() const;
    friend bool operator==(const FakeResources&, const FakeResources&) = default;
};

struct ResourceConfig {
    std::string path;                  // file with R
    std::optional<ResourceSet> config; // [[resource.config]]
    std::string exclude;               // idset or hostlist
    bool norestrict = false;           // all cores, bound or not
    bool noverify = false;
    VerifyRule verify;
    bool verify_given = false;  // else what a parent gave is taken as it is
    std::int64_t journal_max = 100000; // events kept for the journal
    std::optional<FakeResources> fake;

    /// From the whole configuration. Errors: EINVAL naming the key, what was found and the cure.
    static Result<ResourceConfig> from_config(const JsonObject& config);
};

/// R with the ranks that its hosts have in the instance. Without any host in common R is taken as
/// it is. Errors: EINVAL in the reference's words when R has too few hosts.
Result<ResourceSet> rerank(const ResourceSet& R, const Hostlist& instance);
/// R with ranks from 0 on, in rank order.
ResourceSet renumbered(const ResourceSet& R);
/// R of a job as an instance in it sees it: the brokers are bound to the job's cores, so these are
/// all there are, numbered from 0. `cpu_affinity` is the job's shell option of that name; where it
/// binds nobody, or to a map of its own, the numbers stay those of the enclosing instance.
ResourceSet seen_from_inside(const ResourceSet& R, std::string_view cpu_affinity);

/// Why the node found does not do for what R says ("missing core1"), or "" when it does.
std::string verify_node(const ResourceSet::Node& expected, const NodeDescription& found,
                        const VerifyRule& rule);

}  // namespace sluice
