// The database of rank 0: SQLite in WAL mode, on a thread of its own. Commits that wait together
// share one transaction; what is asked after a commit sees it. Answers come in the order of the
// questions, on the reactor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/content/store.hpp"

namespace sluice {

class BlobCollector;
class Database;

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
    /// When the disk is full, commits wait for room, in their order; other errors reach `done`.
    void commit(std::shared_ptr<const StoreBatch> batch, Done done);
    /// Told with ENOSPC when commits begin to wait, and with success when they do no more.
    using OnStalled = std::function<void(const Result<void>&)>;
    void on_stalled(OnStalled on_stalled);

    /// All of a job's log; nullopt when it has none.
    using OnLog = std::function<void(const Result<std::optional<std::string>>&)>;
    void read_log(JobId id, std::string path, OnLog on_log);
    /// What follows `place` in a job's log, about `bytes_max` of it.
    using OnPart = std::function<void(const Result<LogPart>&)>;
    void read_log_part(JobId id, std::string path, LogPlace place, std::size_t bytes_max,
                       OnPart on_part);
    /// nullopt when there is no such job. The eventlog is not read.
    using OnJob = std::function<void(const Result<std::optional<StoredJob>>&)>;
    void read_job(JobId id, OnJob on_job);

    /// All logs of a job by their paths.
    using OnLogs = std::function<void(const Result<std::map<std::string, std::string>>&)>;
    void read_logs(JobId id, OnLogs on_logs);

    /// nullopt when there is no such blob.
    using OnBlob = std::function<void(const Result<std::optional<std::string>>&)>;
    void read_blob(std::string blobref, OnBlob on_blob);
    using OnFound = std::function<void(const Result<bool>&)>;
    void has_blob(std::string blobref, OnFound on_found);
    /// Values of the checkpoints, the latest first.
    using OnCheckpoints = std::function<void(const Result<std::vector<std::string>>&)>;
    void read_checkpoints(OnCheckpoints on_checkpoints);

    /// Begins an epoch of blobs, see BlobCollector.
    using OnHorizon = std::function<void(const Result<CollectionHorizon>&)>;
    void next_epoch(OnHorizon on_horizon);
    /// One slice of a collection, in a transaction; true when it was the last.
    using OnSlice = std::function<void(const Result<bool>&)>;
    void collect(std::shared_ptr<BlobCollector> collector, OnSlice on_slice);

    /// At start-up, waits: every job, with the eventlogs of active ones.
    Result<std::vector<StoredJob>> load_jobs();
    Result<std::optional<std::string>> load_meta(const std::string& key);
    Result<std::optional<std::string>> load_blob(const std::string& blobref);
    Result<std::vector<std::string>> load_checkpoints();

    class Thread;  // of sqlite_store_thread.hpp

  private:
    /// Has the thread call `ask` with its database and the reactor call `answer` with the result,
    /// after the commits that `about` is in.
    template <class Ask, class Answer>
    void ask(Ask ask, Answer answer, std::optional<JobId> about = std::nullopt);
    template <class Ask>
    auto wait(Ask ask) -> decltype(ask(std::declval<Database&>()));

    explicit SqliteStore(std::unique_ptr<Thread> thread);
    std::unique_ptr<Thread> thread_;
};

}  // namespace sluice
