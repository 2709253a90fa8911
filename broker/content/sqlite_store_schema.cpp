// The tables of the store: made, brought up to date, or refused.
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

constexpr sqlite3_int64 schema_version = 2;

// What changes during a job's life is small and apart from its jobspec, which is written once.
// Events are clustered by job and log, in the order of their commits.
constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS jobs(id INTEGER PRIMARY KEY, userid INTEGER NOT NULL, R TEXT, row TEXT);
CREATE TABLE IF NOT EXISTS jobspecs(
  id INTEGER PRIMARY KEY, jobspec TEXT NOT NULL, updates TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS events(
  id INTEGER NOT NULL, path TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(id, path, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blobs(
  blobref TEXT PRIMARY KEY, epoch INTEGER NOT NULL DEFAULT 0, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS checkpoints(
  id INTEGER PRIMARY KEY AUTOINCREMENT, automatic INTEGER NOT NULL, value TEXT NOT NULL);
)";

constexpr const char* jobspecs_out_of_jobs = R"(
INSERT INTO jobspecs SELECT id,jobspec,updates FROM jobs;
ALTER TABLE jobs DROP COLUMN jobspec;
ALTER TABLE jobs DROP COLUMN updates;
)";

}  // namespace

Result<sqlite3_int64> Database::count(const char* sql) {
    SLUICE_TRY(Statement query, prepare(sql));
    if (query.step() != SQLITE_ROW) return error();
    return query.integer(0);
}

Result<bool> Database::has_column(const std::string& table, const std::string& column) {
    const std::string sql = fmt::format(
        "SELECT count(*) FROM pragma_table_info('{}') WHERE name='{}'", table, column);
    SLUICE_TRY(const auto found, count(sql.c_str()));
    return found > 0;
}

Result<void> Database::check_origin(sqlite3_int64 version) {
    if (version > schema_version)
        return fail(EINVAL,
                    "store {}: made by a newer version (format {}, this one reads {}); use that "
                    "version, or another statedir", path_, version, schema_version);
    SLUICE_TRY(const auto tables, count("SELECT count(*) FROM sqlite_schema WHERE type='table'"));
    SLUICE_TRY(const bool ours, has_column("checkpoints", "automatic"));
    if (tables > 0 && !ours)
        return fail(EINVAL,
                    "store {}: a database of another program; use another statedir (what the "
                    "reference's `flux dump` wrote can be restored there)", path_);
    return {};
}

/// Stores without a version have their jobspecs in `jobs`, the oldest no epochs of blobs.
Result<void> Database::upgrade() {
    SLUICE_TRY(const bool epochs, has_column("blobs", "epoch"));
    if (!epochs)
        SLUICE_CHECK(execute("ALTER TABLE blobs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0"));
    SLUICE_TRY(const bool together, has_column("jobs", "jobspec"));
    return together ? execute(jobspecs_out_of_jobs) : Result<void>{};
}

Result<void> Database::set_up_tables() {
    SLUICE_TRY(const auto version, count("PRAGMA user_version"));
    SLUICE_CHECK(check_origin(version));
    SLUICE_CHECK(execute("BEGIN IMMEDIATE"));
    SLUICE_CHECK(execute(schema));
    SLUICE_CHECK(upgrade());
    SLUICE_CHECK(execute(fmt::format("PRAGMA user_version={}", schema_version).c_str()));
    return execute("COMMIT");
}

}  // namespace sluice
