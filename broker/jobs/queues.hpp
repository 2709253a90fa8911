// Queues (RFC 33): submission enabled or disabled, scheduling started or stopped, each with its
// reason. Without a [queues] table there is one anonymous queue, named "".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "broker/jobs/policy.hpp"

namespace sluice {

struct Queue {
    bool enabled = true;
    std::string disable_reason;
    bool started = true;
    std::string stop_reason;
    JobPolicy policy;
    std::vector<std::string> requires_;  // properties
};

class Queues {
  public:
    Queues() { queues_[""]; }
    /// From the whole configuration. Errors: EINVAL naming the key.
    static Result<Queues> from_config(const JsonObject& config);
    /// New settings; queues that stay keep whether they are enabled and started.
    Result<void> reconfigure(const JsonObject& config);

    bool named() const { return !queues_.contains(""); }
    /// Names in order; empty for the anonymous queue.
    std::vector<std::string> names() const;
    const Queue* find(const std::string& name) const;
    bool started(const std::string& name) const;
    const JobPolicy& policy() const { return policy_; }

    /// Answer of queue-status. Errors: EINVAL.
    Result<JsonObject> status(const std::optional<std::string>& name) const;

    struct Change {
        std::optional<std::string> name;
        bool all = false;
        bool on = true;          // enable or start
        std::string reason;
    };
    /// Errors: EINVAL unknown name; named queues want a name or all.
    Result<void> enable(const Change& change);
    Result<void> start(const Change& change);
    /// Stops those that are started; the others keep the reason that they have.
    void stop_started(const std::string& reason);

    /// What a restart remembers.
    JsonObject checkpoint() const;
    void restore(const JsonObject& checkpoint);

    /// Fills in the queue and duration that the policy gives: dotted path -> value.
    /// Errors: EPERM "no queue specified", "Invalid queue 'X' specified"; EINVAL without queues.
    Result<JsonObject> defaults_for(const std::string& queue, double duration,
                                    const Json* constraints) const;
    /// Errors: EINVAL "job submission is disabled: REASON", or a limit that is exceeded.
    Result<void> admit(const std::string& queue, const Jobspec& jobspec) const;

  private:
    Result<std::vector<Queue*>> select(const Change& change);

    std::map<std::string, Queue> queues_;
    JobPolicy policy_;
};

}  // namespace sluice
