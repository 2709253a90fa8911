// The service job-list (wire.md 2.5): listings and counts, all from the job table.
#pragma once

#include <list>

#include "broker/jobs/job_attrs.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class JobListService : public RpcService<JobListService> {
  public:
    static const RpcTable<JobListService> rpcs;
    explicit JobListService(JobPipeline& pipeline);

  private:
    void list(Request request, const JsonObject& payload);
    void list_id(Request request, const JsonObject& payload);
    void list_attrs(Request request, const JsonObject& payload);
    void job_stats(Request request, const JsonObject& payload);

    struct Waiter {
        Request request;
        JobId id;
        JobAttrs attrs;
        std::int64_t state;
    };
    void on_disconnect(const Request& request) override;
    JsonObject stats() const override;
    void answer_waiting();
    JsonObject counts() const;

    JobPipeline& pipeline_;
    std::list<Waiter> waiters_;
    Streams<JsonObject> stats_streams_;  // the counts sent last
};

}  // namespace sluice
