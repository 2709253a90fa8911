// The database of rank 0: SQLite in WAL mode, on a thread of its own. Commits that wait together
// share one transaction; what is asked after a commit sees it. Answers come in the order of the
// questions, on the reactor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/content/store.hpp"

namespace sluice {

class SqliteStore {
  public:
    /// Runs a function on the reactor thread; callable from any thread.
    using Post = std::function<void(std::function<void()>)>;
    struct Options {
        std::string path;
        bool durable = true;  // survive a power failure, not only the end of the process
    };
    /// Opens or makes the database; the thread starts. Errors: the file and what SQLite says.
    static Result<std::unique_ptr<SqliteStore>> open(const Options& options, Post post);
    /// Writes what is queued, then closes. No callback comes afterwards.
    ~SqliteStore();
    SqliteStore(const SqliteStore&) = delete;

    using Done = std::function<void(const Result<void>&)>;
    void commit(std::shared_ptr<const StoreBatch> batch, Done done);

    /// All of a job's log; nullopt when it has none.
    using OnLog = std::function<void(const Result<std::optional<std::string>>&)>;
    void read_log(JobId id, std::string path, OnLog on_log);
    /// nullopt when there is no such job. The eventlog is not read.
    using OnJob = std::function<void(const Result<std::optional<StoredJob>>&)>;
    void read_job(JobId id, OnJob on_job);

    /// At start-up, waits: every job, with the eventlogs of active ones.
    Result<std::vector<StoredJob>> load_jobs();
    Result<std::optional<std::string>> load_meta(const std::string& key);

    class Thread;  // of sqlite_store.cpp

  private:
    explicit SqliteStore(std::unique_ptr<Thread> thread);
    std::unique_ptr<Thread> thread_;
};

}  // namespace sluice
