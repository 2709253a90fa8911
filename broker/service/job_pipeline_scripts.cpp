// The pipeline towards prologs, epilogs and housekeeping. Without configuration nothing of this
// happens, not even a message.
#include <csignal>

#include "base/rfc/fluid.hpp"
#include "broker/config/config_store.hpp"
#include "broker/log/logger.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/job_pipeline_timer.hpp"

namespace sluice {
namespace {

std::string description_of(PerilogKind kind) {
    return fmt::format("job-manager.{}", perilog_name(kind));
}

Event perilog_event(PerilogKind kind, std::string_view what) {
    return make_event(fmt::format("{}-{}", perilog_name(kind), what),
                      {{"description", description_of(kind)}});
}

}  // namespace

void JobPipeline::make_scripts() {
    Perilogs::Hooks perilog;
    perilog.done = [this](JobId id, PerilogKind kind, const PerilogDone& done,
                          const std::string& note) { perilog_done(id, kind, done, note); };
    perilog.clock = steady_clock_now;
    perilogs_ = std::make_unique<Perilogs>(context_, std::move(perilog));
    Housekeeping::Hooks housekeeping;
    housekeeping.release = [this](JobId id, const ResourceSet& R, bool final) {
        housekeeping_released(id, R, final);
    };
    housekeeping.clock = steady_clock_now;
    housekeeping.timer_changed = [this] { arm_timer(); };
    housekeeping_ = std::make_unique<Housekeeping>(context_, std::move(housekeeping));
}

void JobPipeline::begin_perilog(Job& job, PerilogKind kind) {
    if (closing_ || !perilogs_->configured(kind) || !job.active->R) return;
    post(job, perilog_event(kind, "start"));
    perilogs_->begin(job.id, kind, job.userid, job.active->R->ranks());
    after_commit([this, id = job.id] { perilogs_->launch(id); });
}

void JobPipeline::perilog_done(JobId id, PerilogKind kind, const PerilogDone& done,
                               const std::string& note) {
    Job* job = table_.find(id);
    if (!job || !job->active) return;
    const bool prolog = kind == PerilogKind::prolog;
    // No finish event will come to start the epilog, and what the prolog did is to be undone. It is
    // on before the prolog is off, so that the job keeps its resources.
    if (prolog && (done.failed || job->state == JobState::cleanup))
        begin_perilog(*job, PerilogKind::epilog);
    if (!note.empty())
        raise(*job, {std::string{perilog_name(kind)}, prolog ? 0 : 2, note,
                     context_.router.owner(), {}});
    Event finish = perilog_event(kind, "finish");
    finish.context["status"] = done.status;
    post(*job, std::move(finish));
    drive(*job);
}

void JobPipeline::begin_housekeeping(Job& job) {
    housekeeping_->begin(job.id, {job.userid, job.priority, job.t_submit}, *job.active->R);
    after_commit([this, id = job.id] { housekeeping_->launch(id); });
}

void JobPipeline::housekeeping_released(JobId id, const ResourceSet& R, bool final) {
    scheduler_->free(id, R, final);
    if (!final) return;
    // Its row said that housekeeping runs.
    const Job* job = table_.find(id);
    if (!job || !job->inactive()) return;
    store_row(*job);
    schedule_flush();
}

/// The row of an inactive job; a restart sees in it whether housekeeping was cut off.
void JobPipeline::store_row(const Job& job) {
    JsonObject row = row_to_json(job);
    if (housekeeping_->has(job.id)) row["housekeeping"] = true;
    batch_.store().rows.emplace_back(job.id, dump_json(row));
}

/// After a restart: what the old broker had running is gone with it.
void JobPipeline::end_interrupted_scripts(Job& job) {
    for (const PerilogKind kind : {PerilogKind::prolog, PerilogKind::epilog}) {
        const auto& running = kind == PerilogKind::prolog ? job.active->prologs
                                                           : job.active->epilogs;
        if (std::ranges::find(running, description_of(kind)) == running.end()) continue;
        const std::string note =
            fmt::format("{} interrupted by a restart of the broker", perilog_name(kind));
        post(job, exception_event({std::string{perilog_name(kind)},
                                   kind == PerilogKind::prolog ? 0 : 2, note,
                                   context_.router.owner(), {}}));
        Event finish = perilog_event(kind, "finish");
        finish.context["status"] = SIGTERM;
        post(job, std::move(finish));
    }
}

}  // namespace sluice
