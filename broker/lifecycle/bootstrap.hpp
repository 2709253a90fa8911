// How a broker learns who it is: its rank, the instance's size and hosts, the shape of the tree,
// and how to reach its parent (cli.md 4.4).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/strong_id.hpp"
#include "broker/overlay/topology.hpp"
#include "pmi/method.hpp"

namespace sluice {

class Attributes;

struct Bootstrap {
    std::string method = "single";  // attribute broker.boot-method
    Rank rank;
    std::uint32_t size = 1;
    Hostlist hosts;  // by rank
    Topology topology;
    std::string topo;  // attribute tbon.topo
    std::uint32_t instance_level = 0;
    std::optional<std::string> jobid;    // the job this instance is, in the enclosing instance
    std::optional<std::string> mapping;  // RFC 34: brokers to nodes

    CurveKeys keys;
    bool ipv6 = false;
    std::string bind;      // where children connect; empty without children
    std::string endpoint;  // how others reach it; empty: as bound
    std::string parent_endpoint, parent_key;
    std::vector<std::string> allowed_keys;

    bool has_children() const { return !topology.children(rank).empty(); }
};

class Bootstrapper {
  public:
    /// Picks the method and finds out rank, size and tree. Errors: naming the method and what it
    /// misses.
    static Result<Bootstrapper> open(const Attributes& attributes, const JsonObject& config);
    Bootstrap& result() { return boot_; }
    /// Where this broker should bind, when the method leaves it open; needs the rundir.
    Result<std::string> bind_endpoint(const Attributes& attributes,
                                      const std::string& rundir) const;
    /// Tells the others how to reach this broker, and learns how to reach them.
    Result<void> exchange(const std::string& hostname);

  private:
    Result<void> from_config(const JsonObject& table, const Attributes& attributes,
                             TopologyKind kind);
    Result<void> from_pmi(std::string_view method, TopologyKind kind);
    Result<void> exchange_cards(const std::string& hostname);

    Bootstrap boot_;
    std::unique_ptr<pmi::Method> pmi_;
    std::string interface_hint_;  // of the enclosing instance
};

}  // namespace sluice
