#include "sched/service/sched.hpp"

#include "sched/sched_core.hpp"
#include "sched/service/sched_thread.hpp"

namespace sluice {

Sched::Sched(Post post, OnDecisions on_decisions, SchedConfig config)
    : thread_(std::make_unique<Thread>(std::move(post), std::move(on_decisions),
                                       std::move(config))) {}
Sched::~Sched() = default;

void Sched::define(SchedResources resources) {
    thread_->give([resources = std::move(resources)](SchedCore& core) mutable {
        core.define(std::move(resources));
    });
}

void Sched::set_ranks_up(Idset ranks) {
    thread_->give([ranks = std::move(ranks)](SchedCore& core) { core.set_up(ranks, true); });
}

void Sched::set_ranks_down(Idset ranks) {
    thread_->give([ranks = std::move(ranks)](SchedCore& core) { core.set_up(ranks, false); });
}

void Sched::configure(SchedConfig config) {
    thread_->give([config = std::move(config)](SchedCore& core) mutable {
        core.configure(std::move(config));
    });
}

void Sched::hello(RunningJob job) {
    thread_->give(
        [job = std::move(job)](SchedCore& core) mutable { core.hello(std::move(job)); });
}

void Sched::submit(AllocRequest request) {
    thread_->give([request = std::move(request)](SchedCore& core) mutable {
        core.submit(std::move(request));
    });
}

void Sched::cancel(JobId id) {
    thread_->give([id](SchedCore& core) { core.cancel(id); });
}

void Sched::prioritize(std::vector<std::pair<JobId, std::uint32_t>> priorities) {
    thread_->give([priorities = std::move(priorities)](SchedCore& core) {
        core.prioritize(priorities);
    });
}

void Sched::free(JobId id, ResourceSet R, bool final) {
    thread_->give([id, R = std::move(R), final](SchedCore& core) { core.free(id, R, final); });
}

void Sched::set_expiration(JobId id, double expiration) {
    thread_->give([id, expiration](SchedCore& core) { core.set_expiration(id, expiration); });
}

void Sched::set_instance_expiration(double expiration) {
    thread_->give([expiration](SchedCore& core) { core.set_instance_expiration(expiration); });
}

void Sched::check_feasible(AllocRequest request, std::function<void(Result<void>)> answer) {
    thread_->give([thread = thread_.get(), request = std::move(request),
                   answer = std::move(answer)](SchedCore& core) {
        thread->deliver([answer, result = core.check_feasible(request)] { answer(result); });
    });
}

void Sched::status(std::function<void(SchedStatus)> answer) {
    thread_->give([thread = thread_.get(), answer = std::move(answer)](SchedCore& core) {
        thread->deliver([answer, status = core.status()] { answer(status); });
    });
}

}  // namespace sluice
