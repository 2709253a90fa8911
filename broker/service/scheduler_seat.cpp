#include "broker/service/scheduler_seat.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "broker/log/logger.hpp"
#include "broker/resource_hub.hpp"

namespace sluice {

SchedulerSeat::SchedulerSeat(BrokerContext& context, SchedConfig config, Hooks hooks)
    : context_(context), config_(std::move(config)), hooks_(std::move(hooks)) {}
SchedulerSeat::~SchedulerSeat() = default;

void SchedulerSeat::start() {
    seat_own();
    connect_resources();
}

void SchedulerSeat::seat_own() {
    own_ = std::make_unique<Sched>(
        [&io = context_.io](std::function<void()> work) { boost::asio::post(io, std::move(work)); },
        hooks_.decide, config_);
    for (Holder& holder : hooks_.holders(true)) own_->hello({holder.id, std::move(holder.R)});
    if (instance_expiration_ > 0) own_->set_instance_expiration(instance_expiration_);
    hooks_.taken();  // what waits is known before the first pass
    if (context_.resources->defined) own_->define(*context_.resources->defined);
}

void SchedulerSeat::connect_resources() {
    ResourceHub& hub = *context_.resources;
    hub.on_define.add([this](const SchedResources& resources) {
        if (own_) own_->define(resources);
    });
    hub.on_ranks_up.add([this](const Idset& ranks) {
        if (own_) own_->set_ranks_up(ranks);
    });
    hub.on_ranks_down.add([this](const Idset& ranks) {
        if (own_) own_->set_ranks_down(ranks);
    });
    hub.on_expiration.add([this](double expiration) {
        instance_expiration_ = expiration;
        if (own_) own_->set_instance_expiration(expiration);
    });
    hub.sched_status = [this](std::function<void(SchedStatus)> answer) {
        resource_status(std::move(answer));
    };
}

void SchedulerSeat::resource_status(std::function<void(SchedStatus)> answer) {
    if (own_) return own_->status(std::move(answer));
    if (outside_ && outside_->ready()) return outside_->status(std::move(answer));
    answer({});
}

void SchedulerSeat::submit(const Job& job) {
    const ActiveJob& active = *job.active;
    const auto priority = static_cast<std::uint32_t>(job.priority);
    if (own_) {
        AllocRequest request = active.request;
        request.priority = priority;
        request.duration = job.duration;
        return own_->submit(std::move(request));
    }
    JsonObject jobspec = updated_jobspec(active.jobspec, active.updates).value_or({});
    remove_environment(jobspec);
    outside_->submit({job.id, priority, job.userid, job.t_submit, std::move(jobspec)});
}

void SchedulerSeat::cancel(JobId id) {
    if (own_)
        own_->cancel(id);
    else if (outside_)
        outside_->cancel(id);
}

void SchedulerSeat::prioritize(JobId id, std::uint32_t priority) {
    if (own_)
        own_->prioritize({{id, priority}});
    else if (outside_)
        outside_->prioritize({{id, priority}});
}

void SchedulerSeat::free(JobId id, const ResourceSet& R, bool final) {
    if (own_)
        own_->free(id, R, final);
    else if (outside_)
        outside_->free(id, R, final);
}

void SchedulerSeat::set_expiration(JobId id, double expiration) {
    if (own_)
        own_->set_expiration(id, expiration);
    else if (outside_)
        outside_->set_expiration(id, expiration);
}

void SchedulerSeat::configure(SchedConfig config) {
    config_ = std::move(config);
    if (own_) own_->configure(config_);
}

void SchedulerSeat::set_own(bool present) {
    own_allowed_ = present;
    if (present && !own_ && !outside_) seat_own();
    if (present || !own_) return;
    own_.reset();
    hooks_.vacated();
}

void SchedulerSeat::hello(const Request& request, bool partial_ok) {
    if (outside_ && outside_->sender() != request.sender())
        return request.fail(fail(EBUSY, "another scheduler is registered; it has to leave first"));
    own_.reset();
    OutsideScheduler::Hooks hooks{hooks_.decide, [this](const std::string& why) { leave(why); }};
    outside_ = std::make_unique<OutsideScheduler>(context_, std::string{request.sender()},
                                                  std::move(hooks));
    hooks_.vacated();
    for (const Holder& holder : hooks_.holders(partial_ok)) {
        JsonObject answer{{"id", holder.id.value},
                          {"priority", holder.priority},
                          {"userid", holder.userid.value},
                          {"t_submit", holder.t_submit}};
        if (!holder.released.empty()) answer["free"] = holder.released.to_string();
        request.respond(answer);
    }
    request.end_stream();
}

Result<void> SchedulerSeat::ready(const Request& request, std::optional<std::size_t> limit) {
    if (!outside_ || outside_->sender() != request.sender())
        return fail(EINVAL, "sched-ready: no sched-hello came before from this client");
    context_.log.info("job-manager", "scheduler: ready {}",
                      limit ? fmt::format("limited={}", *limit) : "unlimited");
    outside_->set_ready(limit);
    hooks_.taken();
    return {};
}

void SchedulerSeat::on_disconnect(std::string_view sender) {
    if (outside_ && outside_->sender() == sender) leave("disconnected");
}

void SchedulerSeat::leave(const std::string& why) {
    context_.log.warning("job-manager", "scheduler: {}; {}", why,
                         own_allowed_ ? "the built-in one goes on" : "nobody schedules now");
    outside_.reset();
    hooks_.vacated();
    if (own_allowed_) seat_own();
}

}  // namespace sluice
