// What the store's thread does with what was handed to it: commits that wait together share one
// transaction; when the disk is full they wait for room, in their order.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "broker/content/sqlite_store.hpp"
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {

/// One thing to do: a commit when `batch` is set, else a question.
struct StoreWork {
    std::shared_ptr<const StoreBatch> batch;
    SqliteStore::Done done;
    std::function<void(Database&)> ask;
    std::optional<JobId> about;  // of a question about one job
    bool awaited = false;        // the reactor stands still until it is done
};

class StoreWorks {
  public:
    StoreWorks(Database database, SqliteStore::Post post)
        : database_(std::move(database)), post_(std::move(post)) {}

    /// Does all of them, in their order.
    void take(std::vector<StoreWork> works);
    /// Commits wait for room: retry() is to be called every now and then.
    bool stalled() const { return !stalled_.empty(); }
    void retry();
    void on_stalled(SqliteStore::OnStalled on_stalled) { on_stalled_ = std::move(on_stalled); }
    /// On the reactor.
    void post(std::function<void()> answer) { post_(std::move(answer)); }
    Database& database() { return database_; }

  private:
    std::size_t commit_from(std::vector<StoreWork>& works, std::size_t first);
    void answer_question(StoreWork& work);
    Result<void> commit(std::span<const StoreWork> works);
    void answer(std::span<StoreWork> works, const Result<void>& result);
    void tell_stalled(const Result<void>& result);

    Database database_;
    SqliteStore::Post post_;
    std::vector<StoreWork> stalled_;  // commits for which there is no room
    std::set<JobId> stalled_jobs_;
    std::vector<StoreWork> questions_;  // that wait for them
    SqliteStore::OnStalled on_stalled_;
};

}  // namespace sluice
