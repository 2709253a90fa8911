// The pipeline towards the scheduler: requests, decisions, resources.
#include "broker/service/job_pipeline.hpp"

namespace sluice {

void JobPipeline::make_seat(SchedConfig config) {
    SchedulerSeat::Hooks hooks;
    hooks.decide = [this](std::vector<Decision> decisions) { on_decisions(std::move(decisions)); };
    hooks.holders = [this](bool partial) { return holders(partial); };
    hooks.vacated = [this] { vacate(); };
    hooks.taken = [this] { schedule_all(); };
    scheduler_ = std::make_unique<SchedulerSeat>(context_, std::move(config), std::move(hooks));
    context_.on_online.add([this](const Idset& ranks) { exec_->on_online(ranks); });
    context_.on_lost.add([this](const Idset& ranks, const std::string&) { exec_->on_lost(ranks); });
    context_.on_module.add([this](std::string_view module, bool loaded) {
        if (module == "sched-fluxion-qmanager" || module == "sched-simple")
            scheduler_->set_own(loaded);
    });
}

std::vector<SchedulerSeat::Holder> JobPipeline::holders(bool partial) {
    std::vector<SchedulerSeat::Holder> holders;
    for (const auto& [id, job] : table_.active())
        if (job->active->has_resources && job->active->R)
            holders.push_back(
                {id, job->userid, job->priority, job->t_submit, *job->active->R, {}});
    for (Housekeeping::Held& held : housekeeping_->held()) {
        if (held.released.empty() || partial)
            holders.push_back({held.id, held.owner.userid, held.owner.priority,
                               held.owner.t_submit, std::move(held.R), std::move(held.released)});
        else
            housekeeping_->give_up(
                held.id, "scheduler does not support restart with partially released resources");
    }
    return holders;
}

/// All requests are void; those still wanted are made again when a scheduler is there.
void JobPipeline::vacate() {
    std::vector<Decision> withdrawn;
    for (const auto& [id, job] : table_.active())
        if (job->active->alloc != ActiveJob::Alloc::none)
            withdrawn.emplace_back(std::in_place_type<Cancelled>, Cancelled{id});
    on_decisions(std::move(withdrawn));
}

/// Asks for what waits, after queues were started or a scheduler came.
void JobPipeline::schedule_all() {
    std::vector<JobId> waiting;
    for (const auto& [id, job] : table_.active())
        if (job->state == JobState::sched) waiting.push_back(id);
    for (const JobId id : waiting)
        if (Job* job = table_.find(id); job && job->active) drive(*job);
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
        scheduler_->free(decision.id, decision.R, true);
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
    begin_perilog(*job, PerilogKind::prolog);
    drive(*job);
}

void JobPipeline::decided(Deny& decision) {
    Job* job = table_.find(decision.id);
    if (!job || !job->active) return;
    job->active->alloc = ActiveJob::Alloc::none;
    if (job->state == JobState::cleanup) return drive(*job);
    raise(*job, {.type = "alloc",
                 // What tools look for; the numbers are in the detail.
                 .note = "alloc denied due to type=\"unsatisfiable\"",
                 .userid = context_.router.owner(),
                 .detail = decision.note});
}

void JobPipeline::decided(Cancelled& decision) {
    Job* job = table_.find(decision.id);
    if (!job || !job->active) return;
    job->active->alloc = ActiveJob::Alloc::none;
    if (job->annotations.to_json().contains("sched")) {
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
