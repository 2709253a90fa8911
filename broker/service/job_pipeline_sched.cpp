// The pipeline towards the scheduler: requests, decisions, resources.
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "broker/service/job_pipeline.hpp"
#include "broker/log/logger.hpp"
#include "broker/resource_hub.hpp"

namespace sluice {

void JobPipeline::connect_resources() {
    ResourceHub& hub = *context_.resources;
    hub.on_define.add([this](const SchedResources& resources) { sched_->define(resources); });
    hub.on_ranks_up.add([this](const Idset& ranks) { sched_->set_ranks_up(ranks); });
    hub.on_ranks_down.add([this](const Idset& ranks) { sched_->set_ranks_down(ranks); });
    hub.on_expiration.add([this](double t) { sched_->set_instance_expiration(t); });
    if (hub.defined) sched_->define(*hub.defined);
    hub.sched_status = [this](std::function<void(SchedStatus)> answer) {
        sched_->status(std::move(answer));
    };
    context_.on_lost.add([this](const Idset& ranks, const std::string&) { exec_->on_lost(ranks); });
}

void JobPipeline::on_decisions(std::vector<Decision> decisions) {
    if (stopped_) return;
    for (Decision& decision : decisions)
        std::visit([this](auto& it) { decided(it); }, decision);
}

void JobPipeline::decided(Alloc& decision) {
    Job* job = table_.find(decision.id);
    if (!job || !job->active || job->state != JobState::sched) {
        // The job was cancelled, or its queue stopped, while the scheduler found it a place.
        sched_->free(decision.id, decision.R, true);
        if (!job || !job->active) return;
        job->active->alloc = ActiveJob::Alloc::none;
        return drive(*job);
    }
    ActiveJob& active = *job->active;
    active.alloc = ActiveJob::Alloc::none;
    describe_allocation(*job, decision.R);
    batch_.store().resources.emplace_back(job->id, decision.R.to_string());
    active.R = std::move(decision.R);
    JsonObject context;
    if (!decision.annotations.empty()) {
        context["annotations"] = decision.annotations;
        post_volatile(*job, make_event("annotations", context));
    }
    post(*job, make_event("alloc", std::move(context)));
    set_expiration(*job);
    drive(*job);
}

void JobPipeline::decided(Deny& decision) {
    Job* job = table_.find(decision.id);
    if (!job || !job->active) return;
    job->active->alloc = ActiveJob::Alloc::none;
    if (job->state == JobState::cleanup) return drive(*job);
    raise(*job, {"alloc", 0, decision.note, context_.router.owner(), {}});
}

void JobPipeline::decided(Cancelled& decision) {
    Job* job = table_.find(decision.id);
    if (!job || !job->active) return;
    job->active->alloc = ActiveJob::Alloc::none;
    if (job->annotations.contains("sched")) {
        JsonObject annotations;
        annotations["sched"] = nullptr;
        JsonObject context;
        context["annotations"] = std::move(annotations);
        post_volatile(*job, make_event("annotations", std::move(context)));
    }
    drive(*job);
}

void JobPipeline::decided(Annotate& decision) {
    Job* job = table_.find(decision.id);
    if (!job || job->state != JobState::sched) return;
    JsonObject context;
    context["annotations"] = std::move(decision.annotations);
    post_volatile(*job, make_event("annotations", std::move(context)));
}

void JobPipeline::set_expiration(Job& job) {
    if (job.expiration <= 0) return;
    expirations_.emplace(job.expiration, job.id);
    arm_timer();
}

}  // namespace sluice
