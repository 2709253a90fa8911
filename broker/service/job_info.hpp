// The service job-info (wire.md 2.4): a job's logs and data, once or followed live.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class JobInfoService : public RpcService<JobInfoService> {
  public:
    static const RpcTable<JobInfoService> rpcs;
    explicit JobInfoService(JobPipeline& pipeline);

  private:
    void lookup(Request request, const JsonObject& payload);
    void update_lookup(Request request, const JsonObject& payload);
    void eventlog_watch(Request request, const JsonObject& payload);
    void eventlog_watch_cancel(Request request, const JsonObject& payload);
    void update_watch(Request request, const JsonObject& payload);
    void update_watch_cancel(Request request, const JsonObject& payload);

    /// A client that follows a log.
    struct Watch {
        std::uint64_t number = 0;
        std::string path;
        bool sentinel = false;   // INITIAL_SENTINEL
        bool wait_create = false;
        bool reading = true;     // what is in the store has not come yet
        bool seen = false;       // something was sent
        // As the reading began: what the job did since then is not in what was read, and comes
        // through on_append and on_entry.
        bool over = false, guest_over = false;
    };
    using Watches = Streams<Watch>;
    struct Update {
        std::string key;
    };

    void on_disconnect(const Request& request) override;
    void on_append(const StoreBatch::Append& append);
    void on_entry(const JournalEntry& entry);
    void on_past(std::uint64_t number, JobId id, const std::optional<std::string>& log);
    void send_lines(const Request& request, Watch& watch, std::string_view lines);
    /// The job's guest logs are complete, or the job is over: ends the watches of them.
    void end_guest_watches(JobId id, bool ran);
    void send_update(const Request& request, const std::string& key, JobId id);
    Result<void> check(const Request& request, const Job* job) const;
    void forget_empty(JobId id);

    JobPipeline& pipeline_;
    std::unordered_map<JobId, Watches> watches_;
    std::unordered_map<JobId, Streams<Update>> updates_;
    std::unordered_set<JobId> purged_;  // the latest; they had data once
    std::uint64_t next_number_ = 1;
};

}  // namespace sluice
