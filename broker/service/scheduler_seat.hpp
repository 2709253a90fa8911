// Who schedules (RFC 27): the thread of ours, or a program outside, from its sched-hello until it
// disconnects or errs. Whoever comes anew is told of the jobs that hold resources.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "broker/context.hpp"
#include "broker/jobs/job.hpp"
#include "broker/service/outside_scheduler.hpp"
#include "broker/service/request.hpp"
#include "sched/service/sched.hpp"
#include "sched/types.hpp"

namespace sluice {

class SchedulerSeat {
  public:
    struct Holder {
        JobId id;
        UserId userid;
        std::int64_t priority = 0;
        double t_submit = 0;
        ResourceSet R;   // what it still holds
        Idset released;  // ranks that it has given back
    };
    struct Hooks {
        std::function<void(std::vector<Decision>)> decide;
        /// Jobs, and housekeeping after jobs, that hold resources now. Without `partial` those that
        /// have given back a part of theirs are let go.
        std::function<std::vector<Holder>(bool partial)> holders;
        /// Whoever sat here is gone, and with it all requests that had no decision yet.
        std::function<void()> vacated;
        /// Somebody sits here: requests may be made.
        std::function<void()> taken;
    };
    SchedulerSeat(BrokerContext& context, SchedConfig config, Hooks hooks);
    ~SchedulerSeat();

    /// Seats our own scheduler; once what the store remembers was restored.
    void start();
    /// Requests may be made.
    bool taken() const { return own_ || (outside_ && outside_->ready()); }

    /// Ends in exactly one of Alloc, Deny, Cancelled, or in `vacated`. Priority and duration are
    /// those of the job now.
    void submit(const Job& job);
    void cancel(JobId id);
    void prioritize(JobId id, std::uint32_t priority);
    void free(JobId id, const ResourceSet& R, bool final);
    void set_expiration(JobId id, double expiration);
    void configure(SchedConfig config);
    /// Our own scheduler leaves, or sits down where nobody sits (its module was removed, loaded).
    void set_own(bool present);

    /// job-manager.sched-hello: streams the jobs that hold resources, then ENODATA. Our own
    /// scheduler leaves. Errors: EBUSY when another one from outside sits here.
    void hello(const Request& request, bool partial_ok);
    /// job-manager.sched-ready of the same sender. Errors: EINVAL without a hello.
    Result<void> ready(const Request& request, std::optional<std::size_t> limit);
    /// The client `sender` is gone.
    void on_disconnect(std::string_view sender);

  private:
    void connect_resources();
    void seat_own();
    void leave(const std::string& why);
    void resource_status(std::function<void(SchedStatus)> answer);

    BrokerContext& context_;
    SchedConfig config_;
    Hooks hooks_;
    double instance_expiration_ = 0;
    bool own_allowed_ = true;
    std::unique_ptr<Sched> own_;
    std::unique_ptr<OutsideScheduler> outside_;
};

}  // namespace sluice
