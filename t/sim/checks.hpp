// The invariants of a run, checked at every step from what any client can see: the journal of job
// events. A new life of the lead tells the past of all jobs; what was told before must be in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/rfc/eventlog.hpp"
#include "base/rfc/resource_set.hpp"
#include "t/sim/node.hpp"

namespace sluice::sim {

class Shell;

/// No core of a host has two shells of its broker.
void check_launch(const Host& host, const Shell& launched);

class Observer {
  public:
    /// The lead serves: follows its journal from the first event on.
    void follow(Node& lead);
    /// The lead said that this job exists.
    void acknowledged(JobId id);
    /// Every job that was seen has ended.
    bool all_ended() const;
    /// Jobs that have not ended, for a message.
    std::string open_jobs() const;
    std::size_t jobs() const { return jobs_.size(); }

  private:
    struct Seen {
        std::vector<Event> events;
        std::optional<ResourceSet> R;
        bool told = false;  // by this life of the lead
        bool holds = false;
        bool acknowledged = false;
        bool has(std::string_view name) const;
    };
    void on_message(const JsonObject& payload);
    void on_past(JobId id, Seen& job, std::vector<Event> events);
    void on_event(JobId id, Seen& job, const Event& event);
    void on_sentinel();
    void hold(JobId id, Seen& job);
    void release(JobId id, Seen& job);
    void check_order(JobId id, const Seen& job, const Event& event) const;

    std::map<JobId, Seen> jobs_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, JobId> held_;  // (rank, core) -> job
    bool reading_ = false;
};

}  // namespace sluice::sim
