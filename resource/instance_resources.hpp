// The resources of the instance as rank 0 sees them: where R comes from (configuration, the
// enclosing instance, or what the brokers report), which nodes may be used, and what is told to
// whom. Pure: time and effects are given.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/rfc/eventlog.hpp"
#include "base/rfc/hostlist.hpp"
#include "base/rfc/resource_set.hpp"
#include "resource/node_description.hpp"
#include "resource/node_states.hpp"
#include "resource/resource_config.hpp"
#include "resource/resource_log.hpp"

namespace sluice {

class InstanceResources {
  public:
    struct Effects {
        std::function<double()> now;
        /// What may be scheduled: R without excluded ranks, and those of it that are usable.
        std::function<void(const ResourceSet& R, const LocalityMap& locality, const Idset& up)>
            define;
        std::function<void(const Idset& ranks)> up, down;  // after define only
        std::function<void(const ResourceLog::Event& event)> event;
    };

    InstanceResources(ResourceConfig config, Hostlist hosts, Effects effects);

    /// What earlier runs of the instance logged, before start: who was drained is drained still.
    void restore(const std::vector<Event>& log);
    /// Takes R from the configuration, from `file` (the text of [resource] path), or from `parent`
    /// (the enclosing instance); with none of them R is made of the brokers' reports.
    /// Errors: EINVAL naming what is wrong with R or with the exclude list.
    Result<void> start(const std::optional<std::string>& file,
                       const std::optional<ResourceSet>& parent);
    /// Do brokers have to look at their hardware?
    bool wants_reports() const;

    /// What a broker found. The last of the instance's brokers completes a discovery.
    void report(std::uint32_t rank, NodeDescription node);
    /// Ends a discovery with the reports there are; later ones are added as they come.
    void complete();
    void set_online(const Idset& ranks);
    void set_offline(const Idset& ranks);
    Result<void> drain(std::string_view targets, const std::optional<std::string>& reason,
                       DrainMode mode);
    Result<void> undrain(std::string_view targets, const std::optional<std::string>& reason,
                         DrainMode mode);
    void set_expiration(double expiration);

    bool defined() const { return defined_; }
    const ResourceSet& R() const { return R_; }
    const std::string& method() const { return method_; }
    const NodeStates& states() const { return states_; }
    const ResourceLog& log() const { return log_; }
    /// Ranks of the scheduler's R that may be used.
    Idset usable() const;
    /// R without excluded ranks.
    ResourceSet schedulable() const { return R_.without_ranks(states_.excluded()); }
    /// Answer of resource.status.
    JsonObject status_json() const;

  private:
    Idset ranks_of(const Event& event) const;
    Result<void> use(ResourceSet R, std::string method);
    Result<void> apply_exclude(const ResourceSet& R);
    void define(std::string method);
    void discover();
    void verify(std::uint32_t rank, const NodeDescription& node);
    void tell_usable(const Idset& before);
    void add_event(std::string_view name, JsonObject context, std::optional<Json> R = {});
    JsonObject drain_context(const Idset& ranks, const std::optional<std::string>& reason,
                             DrainMode mode) const;

    ResourceConfig config_;
    Hostlist hosts_;
    Effects effects_;
    NodeStates states_;
    ResourceLog log_;
    ResourceSet R_;
    std::string method_;
    bool defined_ = false, complete_ = false;
    std::map<std::uint32_t, NodeDescription> reports_;
};

}  // namespace sluice
