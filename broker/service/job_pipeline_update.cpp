// The pipeline's changes from outside: urgency, updates, queues, purge.
#include "broker/service/job_pipeline.hpp"
#include "broker/log/logger.hpp"

namespace sluice {
namespace {

constexpr std::string_view duration_key = "attributes.system.duration";
constexpr std::string_view queue_key = "attributes.system.queue";

}  // namespace

void JobPipeline::set_urgency(Job& job, int urgency, UserId userid) {
    post(job, make_event("urgency", {{"userid", userid.value}, {"urgency", urgency}}));
    drive(job);
}

Result<void> JobPipeline::rebuild_request(Job& job) {
    SLUICE_TRY(const Jobspec jobspec, jobspec_of(job.active->jobspec, job.active->updates));
    describe(job, jobspec);
    job.active->request = AllocRequest::from(job.id, 0, job.userid, job.t_submit, jobspec);
    return {};
}

Result<void> JobPipeline::update_running(Job& job, double duration, const Credential& cred) {
    if (!cred.privileged())
        return fail(EPERM, "duration update of running job requires instance owner privileges");
    JsonObject context;
    context[duration_key] = duration;
    post(job, make_event("jobspec-update", std::move(context)));
    ActiveJob& active = *job.active;
    const double start = active.R && active.R->starttime > 0 ? active.R->starttime : job.t_run;
    expirations_.erase({job.expiration, job.id});
    const double expiration = duration > 0 ? start + duration : 0.0;
    post(job, make_event("resource-update", {{"expiration", expiration}}));
    set_expiration(job);
    scheduler_->set_expiration(job.id, expiration);
    exec_->set_expiration(job.id, expiration);
    return {};
}

Result<void> JobPipeline::update(Job& job, const JsonObject& updates, const Credential& cred) {
    if (job.active->immutable && !cred.privileged())
        return fail(EPERM, "job is immutable due to previous instance owner update");
    JsonObject context;
    for (const auto& [path, value] : updates) {
        const std::string_view key{path};
        if (key == duration_key) {
            const auto seconds = as_number(value);
            if (!seconds || *seconds < 0)
                return fail(EINVAL, "duration: found {}, want seconds", dump_json(value));
            context[key] = *seconds;
        } else if (key == queue_key && value.is_string()) {
            const std::string name{value.as_string()};
            if (job.is(job_states::running))
                return fail(EINVAL, "update of queue for running job not supported");
            if (name == job.queue) return fail(EINVAL, "job queue is already set to {}", name);
            const Queue* queue = queues_.find(name);
            if (!queue || name.empty()) return fail(EINVAL, "'{}' is not a valid queue", name);
            if (!queue->enabled) return fail(EINVAL, "queue {} is currently disabled", name);
            context[key] = name;
        } else {
            return fail(EINVAL, "update of {} not supported", key);
        }
    }
    if (job.is(job_states::running)) {
        const Json* duration = context.if_contains(duration_key);
        return duration ? update_running(job, duration->as_double(), cred) : Result<void>{};
    }
    if (!cred.privileged()) {
        JsonObject all = job.active->updates;
        for (const auto& [path, value] : context) all[path] = value;
        SLUICE_TRY(const Jobspec jobspec, jobspec_of(job.active->jobspec, all));
        SLUICE_CHECK(queues_.admit(jobspec.queue, jobspec));
    }
    post(job, make_event("jobspec-update", std::move(context)));
    SLUICE_CHECK(rebuild_request(job));
    // The scheduler has the old request: take it back, the new one follows.
    if (job.active->alloc == ActiveJob::Alloc::pending) perform(job, JobAction::cancel_alloc);
    drive(job);
    return {};
}

Result<void> JobPipeline::enable_queue(const Queues::Change& change) {
    SLUICE_CHECK(queues_.enable(change));
    batch_.store().meta.emplace_back("queues", dump_json(queues_.checkpoint()));
    schedule_flush();
    return {};
}

Result<void> JobPipeline::start_queue(const Queues::Change& change, bool checkpoint) {
    SLUICE_CHECK(queues_.start(change));
    if (checkpoint) batch_.store().meta.emplace_back("queues", dump_json(queues_.checkpoint()));
    schedule_all();
    schedule_flush();
    return {};
}

void JobPipeline::mark_reaped(Job& job) {
    job.reaped = true;
    batch_.store().rows.emplace_back(job.id, dump_json(row_to_json(job)));
    schedule_flush();
}

void JobPipeline::purge(const std::vector<JobId>& ids) {
    if (ids.empty()) return;
    for (const JobId id : ids) {
        batch_.store().purges.push_back(id);
        table_.erase(id);
    }
    table_.add_purged(ids.size());
    // The largest id must outlive the job that had it.
    batch_.store().meta.emplace_back("max_jobid", std::to_string(table_.max_id().value));
    after_commit([this, ids] { on_purge(ids); });
}

void JobPipeline::purge_by_limits() {
    std::vector<JobId> ids;
    const auto& inactive = table_.inactive();
    const double time = inactive_limits_.age >= 0 ? std::max(wall_clock_now(), last_event_) : 0;
    for (std::size_t i = 0; i < inactive.size(); ++i) {
        const bool too_many = inactive_limits_.count >= 0 &&
                              inactive.size() - i > std::size_t(inactive_limits_.count);
        const bool too_old = inactive_limits_.age >= 0 &&
                             inactive[i]->t_inactive + inactive_limits_.age <= time;
        if (!too_many && !too_old) break;
        ids.push_back(inactive[i]->id);
    }
    purge(ids);
}

}  // namespace sluice
