// The service job-list (wire.md 2.5): listings and counts, all from the job table.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <list>

#include "broker/jobs/job_attrs.hpp"
#include "broker/jobs/job_filter.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class JobListService : public RpcService<JobListService> {
  public:
    static const RpcTable<JobListService> rpcs;
    explicit JobListService(JobPipeline& pipeline);

  private:
    struct Query {
        std::size_t max = 0;    // entries, 0: no limit
        std::size_t batch = 1;  // jobs in a response of a stream, at most
        JobAttrs attrs;
        double since = 0;
        JobFilter filter;
    };
    static Result<Query> read_query(const JsonObject& payload);
    /// A listing on its way. Long ones go out in slices, no faster than they are read, and the
    /// broker serves others in between.
    struct Listing {
        Request request;
        Query query;
        JobTable::Walk walk;
        std::size_t count = 0;
    };
    void list(Request request, const JsonObject& payload);
    enum class Step { skip, take, end };
    static Step judge(Listing& listing, const Job* job);
    bool send_slice(Listing& listing) const;
    void go_on_soon();
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
    void on_client_pace(const Request& request, bool slow) override;
    JsonObject stats() const override;
    void answer_waiting();
    JsonObject counts() const;

    JobPipeline& pipeline_;
    std::list<Listing> listings_;
    boost::asio::steady_timer timer_;
    std::list<Waiter> waiters_;
    Streams<JsonObject> stats_streams_;  // the counts sent last
};

}  // namespace sluice
