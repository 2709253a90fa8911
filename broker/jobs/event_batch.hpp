// What one reactor turn did to jobs: log lines for the store, entries of the journal, and what may
// be told to others only once it is stored. Pure.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/rfc/eventlog.hpp"
#include "broker/content/store.hpp"

namespace sluice {

inline constexpr const char* main_log = "eventlog";

/// One event as job-manager.events-journal tells it.
struct JournalEntry {
    JobId id;
    Event event;
    std::optional<JsonObject> jobspec, R;  // with submit and alloc
};

class EventBatch {
  public:
    struct Contents {
        std::shared_ptr<const StoreBatch> store;
        std::vector<JournalEntry> journal;
        std::vector<std::function<void()>> after;  // in order, once stored
    };

    StoreBatch& store() { return *store_; }
    /// Appends whole lines to a log; appends to one log share one row.
    void append(JobId id, std::string_view path, std::string_view lines);
    /// An event of the main log.
    void add(JournalEntry entry);
    /// An event that only the journal sees.
    void add_journal_only(JournalEntry entry) { journal_.push_back(std::move(entry)); }
    /// `urgent`: somebody waits for it, so that the commit should be soon.
    void after(std::function<void()> work, bool urgent) {
        after_.push_back(std::move(work));
        urgent_ = urgent_ || urgent;
    }
    bool empty() const { return store_->empty() && journal_.empty() && after_.empty(); }
    bool urgent() const { return urgent_; }
    Contents take();

  private:
    struct LogKey {
        JobId id;
        std::string path;
        friend bool operator==(const LogKey&, const LogKey&) = default;
    };
    struct HashLogKey {
        std::size_t operator()(const LogKey& key) const {
            return std::hash<JobId>{}(key.id) * 31 + std::hash<std::string>{}(key.path);
        }
    };
    std::shared_ptr<StoreBatch> store_ = std::make_shared<StoreBatch>();
    std::unordered_map<LogKey, std::size_t, HashLogKey> places_;  // in store_->appends
    std::vector<JournalEntry> journal_;
    std::vector<std::function<void()>> after_;
    bool urgent_ = false;
};

}  // namespace sluice
