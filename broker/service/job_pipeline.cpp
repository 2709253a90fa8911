#include "broker/service/job_pipeline.hpp"

#include <cmath>
#include <csignal>

#include "broker/service/job_pipeline_timer.hpp"
#include "broker/log/logger.hpp"
#include "broker/resource_hub.hpp"
#include "broker/service/content.hpp"
#include "sched/constraint_hosts.hpp"

namespace sluice {
namespace {

constexpr double event_gap = 1e-6;  // two events of an instance never share a time stamp

std::uint64_t now_ms() { return static_cast<std::uint64_t>(wall_clock_now() * 1000); }

/// A jobspec that does not hold. RFC 6 would say EINVAL; stock validators answer EPERM.
Error invalid(const Error& why) { return Error{EPERM, why.text()}; }

bool is_fatal(const Event& exception) {
    const Json* severity = exception.context.if_contains("severity");
    return severity && as_integer(*severity) == 0;
}

}  // namespace

JobPipeline::JobPipeline(BrokerContext& context, SqliteStore& store, Queues queues)
    : context_(context),
      store_(store),
      queues_(std::move(queues)),
      dependencies_([this](JobId id) { return std::as_const(table_).find(id); }),
      ids_(0, JobId{0}, now_ms()),
      timer_(std::make_unique<Timer>(context.io, wall_clock_now)),
      steady_timer_(std::make_unique<Timer>(context.io, steady_clock_now)) {}

JobPipeline::~JobPipeline() {
    stopped_ = true;
    scheduler_.reset();
}

double JobPipeline::now() {
    const double next = std::max(wall_clock_now(), last_event_ + event_gap);
    last_event_ = std::round(next * 1e6) / 1e6;  // whole microseconds
    return last_event_;
}

Result<Jobspec> JobPipeline::jobspec_of(const std::string& text, const JsonObject& updates) {
    SLUICE_TRY(JsonObject json, updated_jobspec(text, updates));
    return Jobspec::from_json(std::move(json));
}

Result<Jobspec> JobPipeline::jobspec_for(const Submission& submission) const {
    SLUICE_TRY(Jobspec jobspec, Jobspec::parse(submission.jobspec));
    SLUICE_TRY(const JsonObject updates,
               queues_.defaults_for(jobspec.queue, jobspec.duration,
                                    find_path(jobspec.json, "attributes.system.constraints")));
    return updates.empty() ? jobspec : jobspec_of(submission.jobspec, updates);
}

Result<JobId> JobPipeline::submit(Submission submission, std::function<void(JobId)> on_committed) {
    SLUICE_CHECK(context_.content->check_room());
    Result<Jobspec> parsed = Jobspec::parse(submission.jobspec);
    if (!parsed) return invalid(parsed.error());
    Jobspec jobspec = *std::move(parsed);
    const Json* constraints = find_path(jobspec.json, "attributes.system.constraints");
    if (constraints && context_.resources->defined) {
        const auto known = check_constraint_hosts(*constraints, context_.resources->defined->R);
        if (!known) return invalid(known.error());
    }
    SLUICE_TRY(JsonObject updates,
               queues_.defaults_for(jobspec.queue, jobspec.duration, constraints));
    if (!updates.empty()) {
        SLUICE_TRY(jobspec, jobspec_of(submission.jobspec, updates));
    }
    SLUICE_CHECK(queues_.admit(jobspec.queue, jobspec));
    SLUICE_TRY(const auto mock_seconds, mock_duration(jobspec.json));
    const auto id = ids_.next(now_ms());
    if (!id) return fail(EAGAIN, "no job id is left in this millisecond; submit again");

    auto owned = std::make_unique<Job>();
    owned->id = *id;
    owned->userid = submission.userid;
    describe(*owned, jobspec);
    SLUICE_TRY(const auto dependencies, dependencies_.add(*owned, jobspec));
    owned->active = std::make_unique<ActiveJob>();
    ActiveJob& active = *owned->active;
    active.request = AllocRequest::from(*id, 0, submission.userid, 0, jobspec);
    active.mock_seconds = mock_seconds;
    active.updates = std::move(updates);
    active.jobspec = submission.jobspec;
    batch_.store().jobs.push_back({*id, submission.userid, std::move(submission.jobspec),
                                   dump_json(active.updates)});
    Job& job = table_.add(std::move(owned));
    post(job, make_event("submit", {{"userid", job.userid.value},
                                    {"urgency", submission.urgency},
                                    {"flags", submission.flags},
                                    {"version", 1}}));
    active.request.t_submit = job.t_submit;
    for (const auto& [description, satisfied] : dependencies) {
        post(job, make_event("dependency-add", {{"description", description}}));
        if (satisfied) post(job, make_event("dependency-remove", {{"description", description}}));
    }
    post(job, make_event("validate"));
    after_commit([on_committed = std::move(on_committed), id = *id] { on_committed(id); });
    drive(job);
    arm_timer();
    return *id;
}

void JobPipeline::post(Job& job, Event event) {
    if (event.timestamp == 0) event.timestamp = now();
    if (const auto applied = apply_event(job, event); !applied) {
        context_.log.err("job-manager", "{}", applied.error().text());
        return;
    }
    JournalEntry entry{job.id, std::move(event), {}, {}};
    if (journal_wanted && entry.event.name == "submit") {
        add_journal_jobspec(job, entry);
    } else if (journal_wanted && entry.event.name == "alloc" && job.active->R) {
        entry.R = job.active->R->to_json();
    }
    const bool followed = entry.event.name == "start" || entry.event.name == "exception";
    const Event copy = followed ? entry.event : Event{};
    batch_.add(std::move(entry));
    schedule_flush();
    if (followed) follow(job, copy);  // may post what comes after it
}

void JobPipeline::add_journal_jobspec(const Job& job, JournalEntry& entry) {
    auto jobspec = updated_jobspec(job.active->jobspec, job.active->updates);
    if (!jobspec) return;
    remove_environment(*jobspec);
    entry.jobspec = *std::move(jobspec);
}

void JobPipeline::post_volatile(Job& job, Event event) {
    if (event.timestamp == 0) event.timestamp = now();
    if (!apply_event(job, event)) return;
    batch_.add_journal_only({job.id, std::move(event), {}, {}});
    schedule_flush();
}

/// What an event means for others: those that depend on the job, the exec manager.
void JobPipeline::follow(Job& job, const Event& event) {
    if (event.name == "start") {
        auto news = dependencies_.on_start(job.id);
        if (!news.empty()) after_commit([this, news = std::move(news)] { settle(news); });
    } else if (event.name == "exception" && is_fatal(event) && job.active && job.active->exec) {
        const auto type = event.context.if_contains("type");
        const bool timeout = type && type->is_string() && type->as_string() == "timeout";
        exec_->cancel(job.id, timeout ? SIGALRM : 0);
    } else if (event.name == "exception" && job.in_perilog() && is_fatal(event)) {
        after_commit([this, id = job.id] { perilogs_->on_exception(id); });
    }
}

void JobPipeline::raise(Job& job, const ExceptionInfo& info) {
    const bool was_active = !job.inactive();
    post(job, exception_event(info));
    if (was_active) drive(job);
}

void JobPipeline::append(JobId id, std::string_view path, std::string_view lines) {
    batch_.append(id, path, lines);
    schedule_flush();
}

void JobPipeline::after_commit(std::function<void()> work) {
    batch_.after(std::move(work), true);
    schedule_flush();
}

void JobPipeline::after_any_commit(std::function<void()> work) {
    batch_.after(std::move(work), false);
    schedule_flush();
}

void JobPipeline::schedule_flush() {
    if (flush_scheduled_) return;
    flush_scheduled_ = true;
    context_.turn_end.post([this] { end_turn(); });
}

void JobPipeline::wake() {
    flush_now_ = true;
    schedule_flush();
}

/// What nobody waits for goes with the next commit that somebody waits for, while jobs are waiting
/// to be launched: then there will be one at once.
void JobPipeline::end_turn() {
    flush_scheduled_ = false;
    const bool more_to_come = table_.active_count() > exec_->size();
    if (flush_now_ || batch_.urgent() || !more_to_come) return flush();
    timer_->soon([this] { flush(); });
}

void JobPipeline::flush() {
    flush_now_ = false;
    before_commit();
    if (batch_.empty()) return;
    auto contents = std::make_shared<EventBatch::Contents>(batch_.take());
    store_.commit(contents->store, [this, contents](const Result<void>& stored) {
        if (!stored) return context_.panic("job data cannot be stored: " + stored.error().text());
        committed(*contents);
    });
}

void JobPipeline::committed(const EventBatch::Contents& contents) {
    for (const auto& append : contents.store->appends) on_append(append);
    for (const JournalEntry& entry : contents.journal) on_journal(entry);
    for (const auto& work : contents.after) work();
    exec_->send_launches();
    on_commit();
    arm_timer();
}

void JobPipeline::drive(Job& job) {
    const JobId id = job.id;
    Job* current = &job;
    while (const auto action = next_action(
               *current, scheduler_->taken() && queues_.started(current->queue))) {
        perform(*current, *action);
        current = table_.find(id);
        if (!current) return;
    }
}

void JobPipeline::perform(Job& job, JobAction action) {
    const bool debug = job.flags & job_flag::debug;
    switch (action) {
        case JobAction::post_depend: post(job, make_event("depend")); break;
        case JobAction::post_priority: {
            const std::int64_t priority = priority_of(job.urgency);
            post(job, make_event("priority", {{"priority", priority}}));
            if (job.active->alloc == ActiveJob::Alloc::pending && priority > 0)
                scheduler_->prioritize(job.id, static_cast<std::uint32_t>(priority));
            break;
        }
        case JobAction::request_alloc:
            if (debug) post(job, make_event("debug.alloc-request"));
            job.active->alloc = ActiveJob::Alloc::pending;
            scheduler_->submit(job);
            break;
        case JobAction::cancel_alloc:
            job.active->alloc = ActiveJob::Alloc::cancelling;
            scheduler_->cancel(job.id);
            break;
        case JobAction::start:
            if (debug) post(job, make_event("debug.start-request"));
            start_exec(job);
            break;
        case JobAction::free: free_resources(job); break;
        case JobAction::post_clean: finish_job(job); break;
    }
}

void JobPipeline::start_exec(Job& job) {
    ActiveJob& active = *job.active;
    active.exec = true;
    const JobId id = job.id;
    if (active.mock_seconds) {
        active.jobspec = {};
        exec_->begin_mock(id, job.userid, *active.mock_seconds);
        return after_commit([this, id] { exec_->launch(id, {}, {}); });
    }
    std::string jobspec = std::exchange(active.jobspec, {});
    if (!active.updates.empty()) {
        const auto updated = updated_jobspec(jobspec, active.updates);
        if (!updated) {
            active.exec = false;
            return raise(job, {"exec", 0, updated.error().text(), context_.router.owner(), {}});
        }
        jobspec = dump_json(*updated);
    }
    exec_->begin(id, job.userid, *active.R);
    after_commit([this, id, R = dump_json(active.R->to_json()), jobspec = std::move(jobspec)] {
        exec_->launch(id, R, jobspec);
    });
}

void JobPipeline::free_resources(Job& job) {
    post(job, make_event("free"));
    expirations_.erase({job.expiration, job.id});
    if (!job.active->R) return;
    if (housekeeping_->configured() && !closing_) begin_housekeeping(job);
    else scheduler_->free(job.id, *job.active->R, true);
}

void JobPipeline::finish_job(Job& job) {
    post(job, make_event("clean"));
    if (!job.inactive()) return;
    store_row(job);
    auto news = dependencies_.on_inactive(job);
    table_.retire(job);
    on_inactive(job);
    if (!news.empty()) after_commit([this, news = std::move(news)] { settle(news); });
    purge_by_limits();
}

void JobPipeline::settle(const std::vector<DependencyNews>& news) {
    for (const DependencyNews& entry : news) {
        Job* job = table_.find(entry.id);
        if (!job || !job->is(3)) continue;
        if (entry.satisfied) {
            post(*job, make_event("dependency-remove", {{"description", entry.description}}));
            drive(*job);
        } else {
            raise(*job, {"dependency", 0, entry.note, context_.router.owner(), {}});
        }
    }
}

void JobPipeline::exec_finished(JobId id, int status) {
    Job* job = table_.find(id);
    if (!job || job->inactive()) return;
    if (job->fatal) {
        if (job->active->exception_status) status = *job->active->exception_status;
        else if (status == 0) status = 1 << 8;
    }
    post(*job, make_event("finish", {{"status", status}}));
    begin_perilog(*job, PerilogKind::epilog);
    post(*job, make_event("release", {{"ranks", "all"}, {"final", true}}));
    drive(*job);
}

void JobPipeline::on_time() {
    const double time = wall_clock_now();
    settle(dependencies_.on_time(time));
    while (!expirations_.empty() && expirations_.begin()->first <= time) {
        const JobId id = expirations_.begin()->second;
        expirations_.erase(expirations_.begin());
        Job* job = table_.find(id);
        if (job && job->state == JobState::run)
            raise(*job, {"timeout", 0, "resource allocation expired", context_.router.owner(), {}});
    }
    purge_by_limits();
    arm_timer();
}

void JobPipeline::on_steady_time() {
    const double time = steady_clock_now();
    exec_->on_time(time);
    perilogs_->on_time(time);
    housekeeping_->on_time(time);
    arm_timer();
}

void JobPipeline::arm_timer() {
    std::optional<double> next = dependencies_.next_time(), next_steady = exec_->next_time();
    const auto sooner = [](std::optional<double>& first, std::optional<double> time) {
        if (time && (!first || *time < *first)) first = time;
    };
    if (!expirations_.empty()) sooner(next, expirations_.begin()->first);
    if (inactive_limits_.age >= 0 && !table_.inactive().empty())
        sooner(next, table_.inactive().front()->t_inactive + inactive_limits_.age);
    sooner(next_steady, perilogs_->next_time());
    sooner(next_steady, housekeeping_->next_time());
    timer_->arm(next, [this] { on_time(); });
    steady_timer_->arm(next_steady, [this] { on_steady_time(); });
}

}  // namespace sluice
