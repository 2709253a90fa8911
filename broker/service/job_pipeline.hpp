// The life of jobs on rank 0, from submission to inactive: asks job_fsm what comes next and makes
// it happen through the scheduler, the exec manager and the store. Rim.
// Invariants: 1. what leaves this process (answers, launches, journal, watches) leaves after the
// commit of the events it follows from; 2. one commit a reactor turn; 3. every count is read from
// the job table.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/rfc/fluid.hpp"
#include "broker/content/sqlite_store.hpp"
#include "broker/context.hpp"
#include "broker/exec/manager.hpp"
#include "broker/jobs/dependencies.hpp"
#include "broker/jobs/event_batch.hpp"
#include "broker/jobs/job_fsm.hpp"
#include "broker/jobs/job_table.hpp"
#include "broker/jobs/queues.hpp"
#include "broker/service/housekeeping.hpp"
#include "broker/service/perilogs.hpp"
#include "broker/service/scheduler_seat.hpp"

namespace sluice {

class JobPipeline {
  public:
    /// Restores what the store holds. Errors: a configuration that is wrong, a store that cannot be
    /// read.
    static Result<std::unique_ptr<JobPipeline>> open(BrokerContext& context,
                                                     SqliteStore& store);
    ~JobPipeline();

    struct Submission {
        UserId userid;
        int urgency = urgency_default;
        int flags = 0;
        std::string jobspec;
    };
    /// The new job's id; `on_committed` is called once the job cannot be lost any more.
    /// Errors: EINVAL, EPERM, EAGAIN; no job exists then.
    Result<JobId> submit(Submission submission, std::function<void(JobId)> on_committed);

    JobTable& table() { return table_; }
    Queues& queues() { return queues_; }
    ExecManager& exec() { return *exec_; }
    SchedulerSeat& scheduler() { return *scheduler_; }
    Perilogs& perilogs() { return *perilogs_; }
    Housekeeping& housekeeping() { return *housekeeping_; }
    SqliteStore& store() { return store_; }
    BrokerContext& context() { return context_; }

    /// Posts an event: applies it to the job, logs it, and does what follows from it.
    void post(Job& job, Event event);
    /// Journal only, never stored (annotations, volatile memo).
    void post_volatile(Job& job, Event event);
    void raise(Job& job, const ExceptionInfo& info);
    /// Does what the job needs next; after a post() from outside.
    void advance(Job& job) { drive(job); }
    /// Lines for a guest log ("guest.output").
    void append(JobId id, std::string_view path, std::string_view lines);
    /// Called once all that was done so far is stored.
    void after_commit(std::function<void()> work);
    /// As after_commit, for work that can wait until a commit is made for other reasons, or for a
    /// few milliseconds.
    void after_any_commit(std::function<void()> work);
    /// Hands what was done so far to the store now, so that a question asked next sees it.
    void flush();

    void set_urgency(Job& job, int urgency, UserId userid);
    /// attributes.system.duration and attributes.system.queue. Errors: EINVAL, EPERM.
    Result<void> update(Job& job, const JsonObject& updates, const Credential& cred);
    Result<void> enable_queue(const Queues::Change& change);
    Result<void> start_queue(const Queues::Change& change, bool checkpoint);
    void mark_reaped(Job& job);
    void purge(const std::vector<JobId>& ids);
    /// The jobspec that a submission will have: with the defaults and constraints of its queue.
    /// Errors: as submit.
    Result<Jobspec> jobspec_for(const Submission& submission) const;
    /// The jobspec as submitted, with policy defaults.
    static Result<Jobspec> jobspec_of(const std::string& text, const JsonObject& updates);

    /// Looks soon whether someone who waits can be answered.
    void wake();
    /// The exec manager was told something: there may be a deadline now.
    void look_at_deadlines() { arm_timer(); }

    /// Somebody reads the journal: entries carry jobspec and R.
    bool journal_wanted = false;
    /// Told after each commit, in order.
    CallbackList<const StoreBatch::Append&> on_append;
    CallbackList<const JournalEntry&> on_journal;
    /// After all of a commit was told: look again at what was waited for.
    CallbackList<> on_commit;
    /// Before each commit: who waits for a state may answer by after_commit().
    CallbackList<> before_commit;
    /// A job is inactive now (not yet committed), or purged.
    CallbackList<const Job&> on_inactive;
    CallbackList<const std::vector<JobId>&> on_purge;

  private:
    JobPipeline(BrokerContext& context, SqliteStore& store, Queues queues);

    Result<void> restore();
    Result<void> restore_job(const StoredJob& stored);
    void resume(Job& job);
    void make_seat(SchedConfig config);
    std::vector<SchedulerSeat::Holder> holders(bool partial);
    void make_scripts();
    void begin_perilog(Job& job, PerilogKind kind);
    void perilog_done(JobId id, PerilogKind kind, const PerilogDone& done,
                      const std::string& note);
    void begin_housekeeping(Job& job);
    void housekeeping_released(JobId id, const ResourceSet& R, bool final);
    void store_row(const Job& job);
    void end_interrupted_scripts(Job& job);
    void schedule_all();
    void vacate();
    Result<void> connect_config(const JsonObject& config);
    void connect_lifecycle();

    double now();
    void schedule_flush();
    void end_turn();
    void committed(const EventBatch::Contents& contents);
    void drive(Job& job);
    void perform(Job& job, JobAction action);
    void start_exec(Job& job);
    void free_resources(Job& job);
    void finish_job(Job& job);
    void follow(Job& job, const Event& event);
    static void add_journal_jobspec(const Job& job, JournalEntry& entry);
    void on_decisions(std::vector<Decision> decisions);
    void decided(Alloc& decision);
    void decided(Deny& decision);
    void decided(Cancelled& decision);
    void decided(Annotate& decision);
    void settle(const std::vector<DependencyNews>& news);
    void exec_finished(JobId id, int status);
    void on_time();
    void on_steady_time();
    void arm_timer();
    Result<void> rebuild_request(Job& job);
    Result<void> update_running(Job& job, double duration, const Credential& cred);
    void set_expiration(Job& job);
    void purge_by_limits();
    void stop_all(std::function<void(Result<void>)> done);

    struct Timer;
    struct Limits {
        double age = -1;           // seconds, -1: no limit
        std::int64_t count = -1;
    };

    BrokerContext& context_;
    SqliteStore& store_;
    std::unique_ptr<SchedulerSeat> scheduler_;
    std::unique_ptr<ExecManager> exec_;
    std::unique_ptr<Perilogs> perilogs_;
    std::unique_ptr<Housekeeping> housekeeping_;
    JobTable table_;
    Queues queues_;
    Dependencies dependencies_;
    EventBatch batch_;
    FluidGenerator ids_;
    Limits inactive_limits_;
    std::set<std::pair<double, JobId>> expirations_;
    std::unique_ptr<Timer> timer_, steady_timer_;
    std::function<void(Result<void>)> stopping_;
    double last_event_ = 0;
    bool flush_scheduled_ = false, flush_now_ = false;
    bool closing_ = false;  // the instance ends: no more scripts
    bool stopped_ = false;
};

}  // namespace sluice
