// The pipeline's beginning and end: configuration, what the store remembers, the stages of the
// broker.
#include <csignal>

#include "base/rfc/fsd.hpp"
#include "broker/config/config_store.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/job_pipeline_timer.hpp"
#include "broker/log/logger.hpp"

namespace sluice {
namespace {

constexpr const char* queues_key = "queues";

Result<double> age_limit(const JsonObject& config) {
    const Json* value = find_path(config, "job-manager.inactive-age-limit");
    if (!value) return -1.0;
    if (!value->is_string())
        return fail(EINVAL, "job-manager.inactive-age-limit: Expected string, found {}; write a "
                    "duration such as \"7d\"", dump_json(*value));
    const auto seconds = fsd_parse(std::string_view{value->as_string()});
    if (!seconds)
        return fail(EINVAL, "job-manager.inactive-age-limit: invalid FSD {}; write a duration such "
                    "as \"7d\"", dump_json(*value));
    return *seconds;
}

Result<std::int64_t> count_limit(const JsonObject& config) {
    const Json* value = find_path(config, "job-manager.inactive-num-limit");
    if (!value) return std::int64_t{-1};
    if (const auto count = as_integer(*value); count && *count >= 0) return *count;
    return fail(EINVAL, "job-manager.inactive-num-limit: found {}, must be >= 0",
                dump_json(*value));
}

bool stops_queues(const JsonObject& config) {
    const Json* value = find_path(config, "job-manager.stop-queues-on-restart");
    return value && value->is_bool() && value->as_bool();
}

}  // namespace

Result<std::unique_ptr<JobPipeline>> JobPipeline::open(BrokerContext& context,
                                                       SqliteStore& store) {
    const JsonObject& config = context.config.root();
    SLUICE_TRY(Queues queues, Queues::from_config(config));
    SLUICE_TRY(SchedConfig sched_config, SchedConfig::from_config(config));
    SLUICE_TRY(const ExecConfig exec_config, ExecConfig::from_config(config));
    std::unique_ptr<JobPipeline> pipeline{
        new JobPipeline{context, store, std::move(queues)}};
    JobPipeline& self = *pipeline;
    self.make_seat(std::move(sched_config));
    self.make_scripts();
    ExecManager::Hooks hooks;
    hooks.started = [&self](JobId id) {
        if (Job* job = self.table_.find(id); job && job->active && !job->active->started)
            self.post(*job, make_event("start"));
    };
    hooks.raise = [&self](JobId id, ExceptionInfo info) {
        info.userid = self.context_.router.owner();
        if (Job* job = self.table_.find(id); job && !job->inactive()) self.raise(*job, info);
    };
    hooks.exec_log = [&self](JobId id, Event event) {
        event.timestamp = self.now();
        self.append(id, "guest.exec.eventlog", encode_event(event));
    };
    hooks.finished = [&self](JobId id, int status) { self.exec_finished(id, status); };
    hooks.unkillable = [&self](JobId id, const Idset& ranks) {
        self.context_.log.err("job-exec", "job {}: processes on rank {} cannot be killed", id,
                              ranks.to_string());
        RpcClient{self.context_.router}.notify(
            "resource.drain",
            {{"targets", ranks.to_string()},
             {"reason", "unkillable user processes for job " + to_f58(id)},
             {"mode", "update"}},
            0);
    };
    hooks.clock = steady_clock_now;
    self.exec_ = std::make_unique<ExecManager>(context.router, exec_config, std::move(hooks));
    SLUICE_CHECK(self.connect_config(config));
    SLUICE_CHECK(self.restore());
    self.scheduler_->start();
    self.connect_lifecycle();
    return pipeline;
}

Result<void> JobPipeline::connect_config(const JsonObject& config) {
    SLUICE_TRY(const ScriptConfig scripts, ScriptConfig::from_config(config));
    perilogs_->configure(scripts);
    housekeeping_->configure(scripts.housekeeping);
    SLUICE_TRY(inactive_limits_.age, age_limit(config));
    SLUICE_TRY(inactive_limits_.count, count_limit(config));
    context_.config.add_check([](const JsonObject& next) -> Result<void> {
        SLUICE_CHECK(Queues::from_config(next));
        SLUICE_CHECK(SchedConfig::from_config(next));
        SLUICE_CHECK(ExecConfig::from_config(next));
        SLUICE_CHECK(ScriptConfig::from_config(next));
        SLUICE_CHECK(age_limit(next));
        SLUICE_CHECK(count_limit(next));
        return {};
    });
    context_.config.add_watcher([this](const JsonObject& next) {
        (void)queues_.reconfigure(next);
        if (auto sched = SchedConfig::from_config(next)) scheduler_->configure(*std::move(sched));
        if (const auto exec = ExecConfig::from_config(next)) exec_->configure(*exec);
        if (const auto scripts = ScriptConfig::from_config(next)) {
            perilogs_->configure(*scripts);
            housekeeping_->configure(scripts->housekeeping);
        }
        inactive_limits_ = {age_limit(next).value_or(-1), count_limit(next).value_or(-1)};
        purge_by_limits();
        arm_timer();
    });
    return {};
}

Result<void> JobPipeline::restore() {
    SLUICE_TRY(const auto stored, store_.load_jobs());
    for (const StoredJob& job : stored)
        if (const auto restored = restore_job(job); !restored)
            context_.log.err("job-manager", "job {} cannot be restored: {}", job.id,
                             restored.error().text());
    SLUICE_TRY(const auto max_id, store_.load_meta("max_jobid"));
    if (max_id)
        if (const auto id = fluid_decode(*max_id)) table_.raise_max_id(*id);
    if (table_.max_id().value > 0)
        ids_ = FluidGenerator{0, table_.max_id(),
                              static_cast<std::uint64_t>(wall_clock_now() * 1000)};
    SLUICE_TRY(const auto queues, store_.load_meta(queues_key));
    if (queues)
        if (const auto checkpoint = parse_json_object(*queues)) queues_.restore(*checkpoint);
    if (stops_queues(context_.config.root()) && (!stored.empty() || max_id))
        queues_.stop_started("Automatically stopped due to restart");
    std::vector<JobId> active;
    for (const auto& [id, job] : table_.active()) active.push_back(id);
    for (const JobId id : active) dependencies_.restore(*table_.find(id));
    settle(dependencies_.recheck());
    for (const JobId id : active)
        if (Job* job = table_.find(id); job && job->active) resume(*job);
    purge_by_limits();
    arm_timer();
    return {};
}

Result<void> JobPipeline::restore_job(const StoredJob& stored) {
    if (!stored.row.empty()) {
        SLUICE_TRY(const JsonObject row, parse_json_object(stored.row));
        SLUICE_TRY(auto job, row_from_json(row));
        if (row.contains("housekeeping")) {
            context_.log.err("job-manager",
                             "housekeeping: {} (rank {}) {}: interrupted by a restart; the nodes "
                             "go back to the scheduler",
                             job->nodelist, job->ranks, to_f58(job->id));
            store_row(*job);
            schedule_flush();
        }
        table_.add(std::move(job));
        return {};
    }
    SLUICE_TRY(JsonObject updates, parse_json_object(stored.updates));
    SLUICE_TRY(const Jobspec jobspec, jobspec_of(stored.jobspec, updates));
    SLUICE_TRY(const auto events, decode_eventlog(stored.eventlog));
    auto job = std::make_unique<Job>();
    job->id = stored.id;
    job->userid = stored.userid;
    describe(*job, jobspec);
    job->active = std::make_unique<ActiveJob>();
    ActiveJob& active = *job->active;
    active.jobspec = stored.jobspec;
    SLUICE_TRY(active.mock_seconds, mock_duration(jobspec.json));
    active.updates = std::move(updates);
    active.request = AllocRequest::from(job->id, 0, job->userid, 0, jobspec);
    if (stored.R) {
        SLUICE_TRY(active.R, ResourceSet::parse(*stored.R));
        describe_allocation(*job, *active.R);
    }
    for (const Event& event : events) {
        SLUICE_CHECK(apply_event(*job, event));
        last_event_ = std::max(last_event_, event.timestamp);
    }
    active.request.t_submit = job->t_submit;
    if (job->inactive()) {  // from an archive: the store has no row of it yet
        job->active.reset();
        batch_.store().rows.emplace_back(job->id, dump_json(row_to_json(*job)));
        schedule_flush();
    }
    table_.add(std::move(job));
    return {};
}

/// A job that was running lost its shells with the old broker; all others go on.
void JobPipeline::resume(Job& job) {
    if (job.is(job_states::pending)) {
        (void)rebuild_request(job);
        post(job, make_event("flux-restart"));
        return drive(job);
    }
    ActiveJob& active = *job.active;
    if (job.state == JobState::run)
        post(job, exception_event({"exec", 0, "broker restarted: the job's shells are gone",
                                   context_.router.owner(), {}}));
    if (!active.exec_done && active.has_resources) {
        if (!job.waitstatus) post(job, make_event("finish", {{"status", SIGKILL}}));
        post(job, make_event("release", {{"ranks", "all"}, {"final", true}}));
    }
    end_interrupted_scripts(job);
    if (active.has_resources) post(job, make_event("free"));
    drive(job);
}

void JobPipeline::connect_lifecycle() {
    context_.cleanup_steps.push_back(
        {"jobs", [this](std::function<void(Result<void>)> done) { stop_all(std::move(done)); }});
    context_.rc3_steps.push_back({"job-store", [this](std::function<void(Result<void>)> done) {
                                      batch_.store().meta.emplace_back(
                                          "max_jobid", std::to_string(table_.max_id().value));
                                      after_commit([done = std::move(done)] { done({}); });
                                  }});
    before_commit.add([this] {
        if (!stopping_ || table_.any(job_states::running)) return;
        batch_.after([done = std::exchange(stopping_, nullptr)] { done({}); }, true);
    });
}

/// The end of the instance: nothing more is started, what runs is cancelled, what waits stays.
void JobPipeline::stop_all(std::function<void(Result<void>)> done) {
    closing_ = true;
    (void)queues_.start({std::nullopt, true, false, "instance is shutting down"});
    std::vector<JobId> active;
    for (const auto& [id, job] : table_.active()) active.push_back(id);
    for (const JobId id : active) {
        Job* job = table_.find(id);
        if (!job || !job->active) continue;
        if (job->state == JobState::run)
            raise(*job, {"cancel", 0, "instance is shutting down", context_.router.owner(), {}});
        else
            drive(*job);
    }
    stopping_ = std::move(done);
    schedule_flush();
}

}  // namespace sluice
