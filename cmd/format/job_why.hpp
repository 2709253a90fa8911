// Why a job waits and what would change that, in one sentence: decided from facts that the caller
// gathered. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/rfc/hostlist.hpp"
#include "cmd/format/job_fields.hpp"

namespace sluice {

/// The nodes that a job's constraint and queue leave to it, as far as they cannot be used now.
struct ConstrainedNodes {
    std::size_t fitting = 0;  // nodes that fit, usable or not
    Hostlist down;
    struct Drained {
        std::string reason;
        Hostlist hosts;
    };
    std::vector<Drained> drained;
};

struct JobWait {
    JobRow job;  // state, urgency, priority, dependencies, queue, annotations, nodelist, …
    std::string shown_id;
    bool queue_started = true;
    std::string stop_reason;
    std::size_t ahead = 0;  // jobs of its queue that the scheduler looks at before it
    bool constrained = false;
    ConstrainedNodes nodes;
};

/// One sentence, without a full stop.
std::string why_sentence(const JobWait& wait);

/// The short form, for the INFO column of flux jobs, of a job in the state SCHED of which nothing
/// else is known: "queue-stopped", "resources", "priority" or "".
std::string why_short(const JobRow& job);

}  // namespace sluice
