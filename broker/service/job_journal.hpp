// job-manager.events-journal: every event of every job as it is committed, for those who ask, after
// the events of the past if they ask for them too (wire.md 2.5).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/service/job_pipeline.hpp"
#include "broker/service/streams.hpp"

namespace sluice {

class JobJournal {
  public:
    explicit JobJournal(JobPipeline& pipeline);

    void open(Request request, const JsonObject& payload);
    void cancel(const Request& request, std::int64_t matchtag);
    void disconnect(std::string_view sender);

    std::size_t listeners() const { return listeners_.entries().size(); }
    std::size_t events() const { return events_; }

  private:
    struct Filter {
        std::optional<std::set<std::string>> allow, deny;
        bool passes(const std::string& name) const {
            return (!allow || allow->contains(name)) && (!deny || !deny->contains(name));
        }
    };
    struct Listener {
        std::uint64_t number = 0;
        Filter filter;
        std::set<JobId> unread;          // jobs whose past was asked for and has not come yet
        std::vector<JournalEntry> live;  // what happened while the past was read
        bool reading = false;
    };
    static Result<Filter> read_filter(const JsonObject& payload);
    static void send(const Request& request, const Filter& filter, const JournalEntry& entry);
    static void send_past(const Request& request, const Filter& filter, JobId id,
                          const StoredJob* job, const std::vector<Event>& events);
    static void send_sentinel(const Request& request);
    void read_past(Streams<Listener>::Entry& entry);
    void on_past(std::uint64_t number, JobId id, const StoredJob* job, const std::string& log);
    void on_entry(const JournalEntry& entry);
    void count_listeners();

    JobPipeline& pipeline_;
    Streams<Listener> listeners_;
    std::uint64_t next_number_ = 1;
    std::size_t events_ = 0;
};

}  // namespace sluice
