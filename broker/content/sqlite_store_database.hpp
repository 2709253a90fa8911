// The tables of the store and the statements on them; only SqliteStore uses it, from its thread.
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/content/store.hpp"

namespace sluice {

struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using DatabasePtr = std::unique_ptr<sqlite3, CloseDatabase>;
using StatementPtr = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

/// A prepared statement; bind() positions count from 1, as SQLite's do.
class Statement {
  public:
    void bind(int at, sqlite3_int64 value) { sqlite3_bind_int64(statement_.get(), at, value); }
    void bind(int at, std::string_view text) {
        sqlite3_bind_text(statement_.get(), at, text.data(), static_cast<int>(text.size()),
                          SQLITE_STATIC);
    }
    void bind_blob(int at, std::string_view data) {
        sqlite3_bind_blob64(statement_.get(), at, data.data(), data.size(), SQLITE_STATIC);
    }
    /// SQLITE_ROW or SQLITE_DONE, or an error code.
    int step() { return sqlite3_step(statement_.get()); }
    void reset() {
        sqlite3_reset(statement_.get());
        sqlite3_clear_bindings(statement_.get());
    }
    bool is_null(int column) const {
        return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
    }
    std::string text(int column) const {
        const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
        const int size = sqlite3_column_bytes(statement_.get(), column);
        return data ? std::string(data, static_cast<std::size_t>(size)) : std::string{};
    }
    sqlite3_int64 integer(int column) const {
        return sqlite3_column_int64(statement_.get(), column);
    }
    StatementPtr statement_;
};

/// The database and its statements; used by one thread at a time.
class Database {
  public:
    static Result<Database> open(const std::string& path, bool durable);
    Result<void> apply(const StoreBatch& batch);
    Result<void> execute(const char* sql) {
        if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
        return error();
    }
    Result<std::optional<std::string>> log(JobId id, std::string_view path);
    Result<LogPart> log_part(JobId id, std::string_view path, LogPlace place,
                             std::size_t bytes_max);
    Result<std::optional<StoredJob>> job(JobId id);
    Result<std::vector<StoredJob>> jobs();
    Result<std::optional<std::string>> meta(const std::string& key);
    /// Every log of a job by its path.
    Result<std::map<std::string, std::string>> logs(JobId id);
    Result<std::optional<std::string>> blob(std::string_view blobref);
    Result<bool> has_blob(std::string_view blobref);
    /// The latest comes first.
    Result<std::vector<std::string>> checkpoints();

    /// Blobs have the epoch in which they were stored last; this begins the next one.
    Result<CollectionHorizon> next_epoch();
    /// Raises the epoch of a blob; false when it had it already, or is not there.
    Result<bool> mark(std::string_view blobref, std::int64_t epoch);
    /// Deletes the blobs of older epochs in the rows (after, to]; how many there were.
    Result<std::int64_t> sweep(std::int64_t epoch, std::int64_t after, std::int64_t to);

  private:
    /// ENOSPC when there is no room for what was to be written, else EIO.
    Error error() const;
    Result<Statement> prepare(const char* sql) {
        sqlite3_stmt* raw = nullptr;
        if (sqlite3_prepare_v3(db_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) !=
            SQLITE_OK)
            return error();
        return Statement{StatementPtr{raw}};
    }
    Result<void> run(Statement& statement) {
        const int rc = statement.step();
        statement.reset();
        if (rc == SQLITE_DONE) return {};
        return error();
    }
    Result<void> prepare_all();
    Result<void> set_up_tables();
    /// Errors: EINVAL for a store of a newer version, or of another program.
    Result<void> check_origin(sqlite3_int64 version);
    Result<void> upgrade();
    Result<void> read_counters();
    Result<sqlite3_int64> count(const char* sql);
    Result<bool> has_column(const std::string& table, const std::string& column);
    Result<void> purge(JobId id);
    Result<void> put_checkpoint(const StoreBatch::NewCheckpoint& checkpoint);

    std::string path_;
    DatabasePtr db_;
    Statement add_job_, add_jobspec_, append_, set_R_, set_row_, purge_job_, purge_jobspec_,
        purge_events_, set_meta_, read_log_, read_log_part_, read_logs_, read_job_, add_blob_,
        read_blob_, find_blob_, add_checkpoint_, drop_automatic_, prune_checkpoints_, mark_, sweep_;
    sqlite3_int64 next_seq_ = 1, epoch_ = 0;
};

}  // namespace sluice
