// The service job-manager (wire.md 2.3, 2.6): requests about single jobs, about all jobs, and about
// queues. job_manager.cpp has the table; job_manager_job.cpp, job_manager_all.cpp,
// job_manager_queue.cpp and job_manager_plugins.cpp the handlers; the journal is in job_journal.*.
#pragma once

#include <list>

#include "broker/service/job_pipeline.hpp"
#include "broker/service/job_journal.hpp"
#include "broker/service/service.hpp"

namespace sluice {

class JobManagerService : public RpcService<JobManagerService> {
  public:
    static const RpcTable<JobManagerService> rpcs;
    explicit JobManagerService(JobPipeline& pipeline);

  private:
    // One job.
    void raise(Request request, const JsonObject& payload);
    void kill(Request request, const JsonObject& payload);
    void urgency(Request request, const JsonObject& payload);
    void update(Request request, const JsonObject& payload);
    void memo(Request request, const JsonObject& payload);
    void post_event(Request request, const JsonObject& payload);
    void getattr(Request request, const JsonObject& payload);
    // Many.
    void raiseall(Request request, const JsonObject& payload);
    void killall(Request request, const JsonObject& payload);
    void wait(Request request, const JsonObject& payload);
    void purge(Request request, const JsonObject& payload);
    void purge_id(Request request, const JsonObject& payload);
    void getinfo(Request request, const JsonObject& payload);
    void list(Request request, const JsonObject& payload);
    void history(Request request, const JsonObject& payload);
    // What upstream keeps in plugins, and housekeeping.
    void jobtap(Request request, const JsonObject& payload);
    void jobtap_query(Request request, const JsonObject& payload);
    void housekeeping_kill(Request request, const JsonObject& payload);
    bool perilog_is_used() const;
    // Queues.
    void queue_list(Request request, const JsonObject& payload);
    void queue_status(Request request, const JsonObject& payload);
    void queue_enable(Request request, const JsonObject& payload);
    void queue_start(Request request, const JsonObject& payload);
    void sched_hello(Request request, const JsonObject& payload);
    void sched_ready(Request request, const JsonObject& payload);
    void alloc_query(Request request, const JsonObject& payload);
    void drain(Request request, const JsonObject& payload);
    void idle(Request request, const JsonObject& payload);
    // Journal.
    void journal(Request request, const JsonObject& payload);
    void journal_cancel(Request request, const JsonObject& payload);

    JsonObject stats() const override;
    void on_disconnect(const Request& request) override;
    JobTable& table() { return pipeline_.table(); }
    void answer_waiting();
    void answer_wait(const Request& request, Job& job);
    void on_inactive(const Job& job);
    std::size_t waitable_count() const;

    struct Waiter {
        Request request;
        std::optional<JobId> id;  // unset: any
    };
    JobPipeline& pipeline_;
    JobJournal journal_;
    std::list<Waiter> waiters_;
    /// Waits until its queues, or all, are empty (drain) or have no running job (idle).
    struct QueueWaiter {
        Request request;
        std::vector<std::string> queues;  // empty: all
        bool watches(const Job& job) const;
    };
    void add_queue_waiter(std::list<QueueWaiter>& to, Request request, const JsonObject& payload);
    bool is_drained(const QueueWaiter& waiter);
    bool is_idle(const QueueWaiter& waiter);
    std::list<QueueWaiter> draining_, idling_;
    bool perilog_asked_for_ = false;  // by jobtap load
};

/// May the sender do this to the job: its owner, or the instance's.
inline bool may_act(const Request& request, const Job& job) {
    return request.privileged() || request.userid() == job.userid;
}

}  // namespace sluice
