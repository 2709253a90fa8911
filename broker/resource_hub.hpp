// Rank 0: between the resource service, which knows what there is and what is up, and the owner of
// the scheduler, which knows what is allocated. Neither holds the other.
#pragma once

#include <functional>
#include <optional>

#include "broker/context.hpp"
#include "sched/types.hpp"

namespace sluice {

struct ResourceHub {
    /// Set by the part "parent" of a nested instance: the R of the job that it is.
    std::optional<ResourceSet> parent;
    /// R without excluded ranks, once it is known; `up` follows later changes.
    std::optional<SchedResources> defined;
    /// The resources became known, or were replaced. Add the callback, then look at `defined`.
    CallbackList<const SchedResources&> on_define;
    /// Ranks that may be used from now on (online, undrained), or not (lost, drained). Called after
    /// on_define only.
    CallbackList<const Idset&> on_ranks_up, on_ranks_down;
    /// End of the instance (seconds since the epoch, 0 = unlimited): its R's expiration.
    CallbackList<double> on_expiration;
    /// Set by the owner of the scheduler: Sched::status.
    std::function<void(std::function<void(SchedStatus)>)> sched_status;
};

}  // namespace sluice
