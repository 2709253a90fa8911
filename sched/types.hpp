// RFC 27 - what passes between the job manager and the scheduler: requests one way, decisions the
// other. Plain values; they cross from thread to thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "base/rfc/constraint.hpp"
#include "base/rfc/jobspec.hpp"
#include "base/rfc/resource_set.hpp"
#include "base/strong_id.hpp"
#include "resource/match/match_options.hpp"
#include "resource/match/node_groups.hpp"
#include "resource/node_description.hpp"

namespace sluice {

/// A job that waits for resources. Jobs of priority 0 (held) are not sent here.
struct AllocRequest {
    JobId id;
    std::uint32_t priority = 0;
    UserId userid;
    double t_submit = 0;
    ResourceRequest request;
    Constraint constraint;
    std::string constraint_text;  // equal texts, equal constraints; "" for none
    double duration = 0;          // seconds, 0 = unlimited
    std::string queue;            // "" for the anonymous queue
    GroupRequest group;           // racks or switches that it names

    static AllocRequest from(JobId id, std::uint32_t priority, UserId userid, double t_submit,
                             const Jobspec& jobspec);
};

/// A job that already holds resources when the scheduler starts (hello); R.expiration counts.
struct RunningJob {
    JobId id;
    ResourceSet R;  // what it still holds
};

/// The resources to schedule: R without excluded ranks, and the ranks that are usable now (online,
/// not drained).
struct SchedResources {
    ResourceSet R;
    LocalityMap locality;
    Idset up;
};

/// Resources were found: start the job with R (starttime and expiration filled in).
struct Alloc {
    JobId id;
    ResourceSet R;
    JsonObject annotations;  // {"sched":{…}}; null removes a key given before
    friend bool operator==(const Alloc&, const Alloc&) = default;
};
/// The job can never run here: exception type alloc, severity 0, with this note.
struct Deny {
    JobId id;
    std::string note;
    friend bool operator==(const Deny&, const Deny&) = default;
};
/// The job waits no more, as cancel() asked. Not sent when the Alloc went out first.
struct Cancelled {
    JobId id;
    friend bool operator==(const Cancelled&, const Cancelled&) = default;
};
/// News of a waiting job (reason_pending, t_estimate); null removes a key.
struct Annotate {
    JobId id;
    JsonObject annotations;
    friend bool operator==(const Annotate&, const Annotate&) = default;
};
using Decision = std::variant<Alloc, Deny, Cancelled, Annotate>;

/// Answer of resource.sched-status.
struct SchedStatus {
    ResourceSet all, down, allocated;
};

enum class QueuePolicy : std::uint8_t { fcfs, easy, conservative, hybrid };
std::string_view queue_policy_name(QueuePolicy policy);
/// By its name, or nullopt.
std::optional<QueuePolicy> find_queue_policy(std::string_view name);

/// How one queue is worked through; names and defaults are those of [sched-fluxion-qmanager].
struct QueueSettings {
    QueuePolicy policy = QueuePolicy::fcfs;
    /// Jobs that a pass tries in vain before it leaves the queue. Jobs that start, and jobs of a
    /// shape known not to fit, are not counted.
    std::uint32_t queue_depth = 32, max_queue_depth = 1000000;
    std::uint32_t reservation_depth = 64, max_reservation_depth = 100000;

    std::uint32_t depth() const { return std::min(queue_depth, max_queue_depth); }
    /// Jobs that may hold a reservation at a time.
    std::uint32_t reservations() const;
    friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

struct SchedConfig {
    QueueSettings defaults;
    std::map<std::string, QueueSettings> queues;  // those with settings of their own
    std::map<std::string, std::string> parents;   // of virtual queues
    MatchOptions match;
    SiteTopology topology;
    bool explain = true;  // tell waiting jobs why they wait
    std::vector<std::string> warnings;  // to be logged: what was read otherwise than written

    const QueueSettings& settings_for(const std::string& queue) const;
    /// The queue whose jobs those of `queue` are scheduled with.
    const std::string& scheduled_with(const std::string& queue) const {
        const auto parent = parents.find(queue);
        return parent == parents.end() ? queue : parent->second;
    }
    /// From the whole configuration: [sched-fluxion-qmanager] and [sched-fluxion-resource],
    /// [[resource.topology]] and the parents of [queues]. An
    /// unknown queue policy is fcfs with a warning, as instances of the reference start with one.
    /// Errors: EINVAL naming the key, what was found, and the choices.
    static Result<SchedConfig> from_config(const JsonObject& config);
};

}  // namespace sluice
