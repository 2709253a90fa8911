// RFC 20 - resource set specification version 1 (R): ranks with their cores and GPUs, host names,
// start and expiration, properties.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/idset.hpp"

namespace sluice {

/// A pure value. Nodes are kept in ascending rank order, each with its host name.
class ResourceSet {
  public:
    struct Node {
        std::uint32_t rank = 0;
        std::string host;
        Idset cores, gpus;
        std::string children() const;  // "core[0-3],gpu0"
        friend bool operator==(const Node&, const Node&) = default;
    };
    /// Errors: EPROTO or EINVAL naming the key.
    static Result<ResourceSet> parse(std::string_view text);
    static Result<ResourceSet> from_json(const JsonObject& object);
    /// Nodes with equal children share one R_lite entry; times are reals; nodelist compressed.
    JsonObject to_json() const;
    std::string to_string() const;  // compact JSON
    /// "rank[0-1]/core[0-3],gpu0 rank2/core[0-7]", for people.
    std::string to_short() const;

    const std::vector<Node>& nodes() const { return nodes_; }
    const Node* find(std::uint32_t rank) const;
    bool empty() const { return nodes_.empty(); }
    Idset ranks() const;
    Hostlist nodelist() const;
    std::size_t node_count() const { return nodes_.size(); }
    std::size_t core_count() const;
    std::size_t gpu_count() const;
    void add(Node node);  // merges with a node of the same rank

    ResourceSet only_ranks(const Idset& ranks) const;
    ResourceSet without_ranks(const Idset& ranks) const;
    friend ResourceSet operator|(const ResourceSet& a, const ResourceSet& b);  // union (append)
    friend ResourceSet operator-(const ResourceSet& a, const ResourceSet& b);  // difference
    friend ResourceSet operator&(const ResourceSet& a, const ResourceSet& b);  // intersection

    double starttime = 0, expiration = 0;      // seconds since the epoch; 0 = unset
    std::optional<std::int64_t> nslots;
    std::map<std::string, Idset> properties;   // property -> ranks
    std::optional<Json> scheduling;            // opaque to all but the scheduler that wrote it
    friend bool operator==(const ResourceSet&, const ResourceSet&) = default;

  private:
    std::vector<Node> nodes_;
};

}  // namespace sluice
