// The scheduler thread: owns the SchedCore and does one pass for all that arrived since the last.
// Every method may be called from the reactor thread only, returns at once, and is carried out in
// the order of the calls. Answers come back through `post`, on the reactor thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sched/types.hpp"

namespace sluice {

class Sched {
  public:
    /// Runs a function on the reactor thread; callable from any thread
    /// (`[&io](auto f) { boost::asio::post(io, std::move(f)); }`).
    using Post = std::function<void(std::function<void()>)>;
    using OnDecisions = std::function<void(std::vector<Decision>)>;

    /// Starts the thread. `on_decisions` gets the decisions of each pass, oldest first.
    Sched(Post post, OnDecisions on_decisions, SchedConfig config);
    /// Ends the thread and waits for it; no callback comes afterwards.
    ~Sched();
    Sched(const Sched&) = delete;
    Sched& operator=(const Sched&) = delete;

    /// Gives, or replaces, the resources. Nothing is allocated before the first define(). Jobs that
    /// run keep what they hold.
    void define(SchedResources resources);
    /// Ranks that may be used from now on, or not (offline, drained). What runs there runs on.
    void set_ranks_up(Idset ranks);
    void set_ranks_down(Idset ranks);
    void configure(SchedConfig config);

    /// Tells of a job that runs already; before define().
    void hello(RunningJob job);
    /// Ends in exactly one of Alloc, Deny, Cancelled; any number of Annotate before it.
    void submit(AllocRequest request);
    /// Asks to give up a waiting job: Cancelled follows, unless an Alloc or Deny was on its way.
    void cancel(JobId id);
    void prioritize(std::vector<std::pair<JobId, std::uint32_t>> priorities);
    /// R (all or a part of the job's) is free again; `final` with the last part.
    void free(JobId id, ResourceSet R, bool final);
    /// A running job's new end (seconds since the epoch, 0 = unlimited).
    void set_expiration(JobId id, double expiration);
    /// End of the instance itself: no job is given more time (0 = unlimited).
    void set_instance_expiration(double expiration);

    /// Could this ever run with all ranks up? Error: EINVAL "unsatisfiable request: …".
    void check_feasible(AllocRequest request, std::function<void(Result<void>)> answer);
    void status(std::function<void(SchedStatus)> answer);

  private:
    class Thread;  // of sched.cpp
    std::unique_ptr<Thread> thread_;
};

}  // namespace sluice
