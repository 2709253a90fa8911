// The service job-info (wire.md 2.4): a job's logs and data, once or followed live.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/router/rpc_client.hpp"
#include "broker/service/job_pipeline.hpp"
#include "broker/service/service.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class JobInfoService : public RpcService<JobInfoService> {
  public:
    static const RpcTable<JobInfoService> rpcs;
    explicit JobInfoService(JobPipeline& pipeline);

    /// Lines of a log that are not kept: told to those who follow it as soon as all of them are
    /// ready for more, then `done`: whether there was anybody.
    void pass_on(JobId id, std::string path, std::string lines, std::function<void(bool)> done);

  private:
    /// What a client may leave unconfirmed.
    static constexpr std::size_t window_bytes = std::size_t{2} << 20;

    void lookup(Request request, const JsonObject& payload);
    void update_lookup(Request request, const JsonObject& payload);
    void eventlog_watch(Request request, const JsonObject& payload);
    void eventlog_watch_cancel(Request request, const JsonObject& payload);
    void eventlog_watch_ack(Request request, const JsonObject& payload);
    void update_watch(Request request, const JsonObject& payload);
    void update_watch_cancel(Request request, const JsonObject& payload);

    /// A client that follows a log.
    struct Watch {
        std::uint64_t number = 0;
        std::string path;
        bool sentinel = false;   // INITIAL_SENTINEL
        bool wait_create = false;
        // What is in the store has not all been sent, and comes from there: at first, when the
        // client is too slow to be told as things happen, and while lines are kept back for it.
        bool reading = true;
        bool asked = false;      // the store was asked for the next part
        bool held_back = false;  // lines wait for it, or for another watch, in held_
        bool seen = false;       // something was sent
        LogPlace place;          // what was sent of the stored log
        bool confirms = false;   // the client tells by eventlog-watch-ack what it has taken
        std::size_t unconfirmed_bytes = 0;
        bool live() const { return !reading && !held_back; }
        // As the store was asked: what the job did since then is not in what was read, and comes
        // through on_append and on_entry.
        bool over = false, guest_over = false;
    };
    using Watches = Streams<Watch>;
    struct Held {
        std::string path, lines;
        std::function<void(bool)> done;
    };
    struct Update {
        std::string key;
    };

    void on_disconnect(const Request& request) override;
    void on_client_pace(const Request& request, bool slow) override;
    void on_append(const StoreBatch::Append& append);
    void on_entry(const JournalEntry& entry);
    /// The client has enough to take. One that does not confirm is slow when its broker says so.
    bool has_enough(const Watches::Entry& entry) const;
    void read_past(JobId id, Watches::Entry& entry);
    void on_past(std::uint64_t number, JobId id, const Result<LogPart>& part);
    void send_lines(const Request& request, Watch& watch, std::string_view lines);
    void pass_on_held(JobId id);
    void pass_on_all_held();
    void end_watches(JobId id);
    /// The job's guest logs are complete, or the job is over: ends the watches of them.
    void end_guest_watches(JobId id, bool ran);
    void send_update(const Request& request, const std::string& key, JobId id);
    Result<void> check(const Request& request, const Job* job) const;
    void forget_empty(JobId id);

    JobPipeline& pipeline_;
    RpcClient rpc_;
    std::unordered_map<JobId, Watches> watches_;
    std::unordered_map<JobId, std::deque<Held>> held_;
    std::unordered_map<JobId, Streams<Update>> updates_;
    std::unordered_set<JobId> purged_;  // the latest; they had data once
    std::uint64_t next_number_ = 1;
};

}  // namespace sluice
