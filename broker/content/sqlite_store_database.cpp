#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

constexpr sqlite3_int64 checkpoints_max = 5;
constexpr const char* epoch_key = "blob_epoch";
constexpr const char* opens_key = "opens";
constexpr int seq_bits = 32;  // of an entry's seq; above them: how often the store was opened

sqlite3_int64 key(JobId id) { return static_cast<sqlite3_int64>(id.value); }

StoredJob job_from(const Statement& row) {
    StoredJob job;
    job.id = JobId{static_cast<std::uint64_t>(row.integer(0))};
    job.userid = UserId{static_cast<std::uint32_t>(row.integer(1))};
    if (!row.is_null(2)) job.R = row.text(2);
    if (!row.is_null(3)) job.row = row.text(3);
    return job;
}

}  // namespace

Error Database::error() const {
    const int code = sqlite3_errcode(db_.get()) & 0xff, system = sqlite3_system_errno(db_.get());
    const bool full = code == SQLITE_FULL ||
                      (code == SQLITE_IOERR && (system == ENOSPC || system == EDQUOT));
    return fail(full ? ENOSPC : EIO, "store {}: {}", path_, sqlite3_errmsg(db_.get()));
}

Result<Database> Database::open(const std::string& path, bool durable) {
    Database database;
    database.path_ = path;
    sqlite3* raw = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int rc = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    database.db_.reset(raw);
    if (rc != SQLITE_OK) return database.error();
    sqlite3_busy_timeout(raw, 5000);
    // Nobody else may write, or take it for another instance's; and no commit asks for locks.
    SLUICE_CHECK(database.execute("PRAGMA locking_mode=EXCLUSIVE"));
    SLUICE_CHECK(database.execute("PRAGMA journal_mode=WAL"));
    SLUICE_CHECK(database.execute(durable ? "PRAGMA synchronous=FULL"
                                                  : "PRAGMA synchronous=OFF"));
    SLUICE_CHECK(database.set_up_tables());
    SLUICE_CHECK(database.prepare_all());
    SLUICE_CHECK(database.read_counters());
    return database;
}

Result<void> Database::prepare_all() {
    struct Row {
        Statement Database::*statement;
        const char* sql;
    };
    const Row rows[] = {
        {&Database::add_job_, "INSERT INTO jobs(id,userid) VALUES(?1,?2)"},
        {&Database::add_jobspec_, "INSERT INTO jobspecs(id,jobspec,updates) VALUES(?1,?2,?3)"},
        {&Database::append_, "INSERT INTO events(id,path,seq,data) VALUES(?1,?2,?3,?4)"},
        {&Database::set_R_, "UPDATE jobs SET R=?2 WHERE id=?1"},
        {&Database::set_row_, "UPDATE jobs SET row=?2 WHERE id=?1"},
        {&Database::purge_job_, "DELETE FROM jobs WHERE id=?1"},
        {&Database::purge_jobspec_, "DELETE FROM jobspecs WHERE id=?1"},
        {&Database::purge_events_, "DELETE FROM events WHERE id=?1"},
        {&Database::set_meta_, "INSERT OR REPLACE INTO meta(key,value) VALUES(?1,?2)"},
        {&Database::read_log_, "SELECT data FROM events WHERE id=?1 AND path=?2 ORDER BY seq"},
        {&Database::read_log_part_,
         "SELECT seq,data FROM events WHERE id=?1 AND path=?2 AND seq>?3 ORDER BY seq "
         "LIMIT -1 OFFSET ?4"},
        {&Database::read_logs_,
         "SELECT path,data FROM events WHERE id=?1 ORDER BY path,seq"},
        {&Database::read_job_,
         "SELECT id,userid,R,row,jobspec,updates FROM jobs JOIN jobspecs USING(id) WHERE id=?1"},
        {&Database::add_blob_,
         "INSERT INTO blobs(blobref,epoch,data) VALUES(?1,?2,?3) "
         "ON CONFLICT DO UPDATE SET epoch=excluded.epoch WHERE epoch<excluded.epoch"},
        {&Database::mark_, "UPDATE blobs SET epoch=?2 WHERE blobref=?1 AND epoch<?2"},
        {&Database::sweep_, "DELETE FROM blobs WHERE rowid>?2 AND rowid<=?3 AND epoch<?1"},
        {&Database::read_blob_, "SELECT data FROM blobs WHERE blobref=?1"},
        {&Database::find_blob_, "SELECT 1 FROM blobs WHERE blobref=?1"},
        {&Database::add_checkpoint_, "INSERT INTO checkpoints(automatic,value) VALUES(?1,?2)"},
        {&Database::drop_automatic_, "DELETE FROM checkpoints WHERE automatic=1"},
        {&Database::prune_checkpoints_,
         "DELETE FROM checkpoints WHERE id IN "
         "(SELECT id FROM checkpoints ORDER BY id DESC LIMIT -1 OFFSET ?1)"},
    };
    for (const Row& row : rows) {
        SLUICE_TRY(this->*row.statement, prepare(row.sql));
    }
    return {};
}

Result<void> Database::read_counters() {
    SLUICE_TRY(const auto epoch, meta(epoch_key));
    if (epoch) epoch_ = std::atoll(epoch->c_str());
    SLUICE_TRY(const auto opens, meta(opens_key));
    const sqlite3_int64 count = (opens ? std::atoll(opens->c_str()) : 0) + 1;
    next_seq_ = count << seq_bits;
    const std::string text = std::to_string(count);
    set_meta_.bind(1, opens_key);
    set_meta_.bind(2, text);
    return run(set_meta_);
}

Result<CollectionHorizon> Database::next_epoch() {
    SLUICE_TRY(Statement last, prepare("SELECT coalesce(max(rowid),0) FROM blobs"));
    if (last.step() != SQLITE_ROW) return error();
    const sqlite3_int64 high_water = last.integer(0);
    last.reset();
    const std::string next = std::to_string(epoch_ + 1);
    set_meta_.bind(1, epoch_key);
    set_meta_.bind(2, next);
    SLUICE_CHECK(run(set_meta_));
    ++epoch_;
    return CollectionHorizon{epoch_, high_water};
}

Result<bool> Database::mark(std::string_view blobref, std::int64_t epoch) {
    mark_.bind(1, blobref);
    mark_.bind(2, sqlite3_int64{epoch});
    SLUICE_CHECK(run(mark_));
    return sqlite3_changes(db_.get()) > 0;
}

Result<std::int64_t> Database::sweep(std::int64_t epoch, std::int64_t after, std::int64_t to) {
    sweep_.bind(1, sqlite3_int64{epoch});
    sweep_.bind(2, sqlite3_int64{after});
    sweep_.bind(3, sqlite3_int64{to});
    SLUICE_CHECK(run(sweep_));
    return std::int64_t{sqlite3_changes(db_.get())};
}

Result<void> Database::purge(JobId id) {
    purge_job_.bind(1, key(id));
    SLUICE_CHECK(run(purge_job_));
    purge_jobspec_.bind(1, key(id));
    SLUICE_CHECK(run(purge_jobspec_));
    purge_events_.bind(1, key(id));
    return run(purge_events_);
}

Result<void> Database::apply(const StoreBatch& batch) {
    for (const auto& job : batch.jobs) {
        add_job_.bind(1, key(job.id));
        add_job_.bind(2, sqlite3_int64{job.userid.value});
        SLUICE_CHECK(run(add_job_));
        add_jobspec_.bind(1, key(job.id));
        add_jobspec_.bind(2, job.jobspec);
        add_jobspec_.bind(3, job.updates);
        SLUICE_CHECK(run(add_jobspec_));
    }
    for (const auto& append : batch.appends) {
        append_.bind(1, key(append.id));
        append_.bind(2, append.path);
        append_.bind(3, next_seq_++);
        append_.bind_blob(4, append.data);
        SLUICE_CHECK(run(append_));
    }
    for (const auto& [id, R] : batch.resources) {
        set_R_.bind(1, key(id));
        set_R_.bind(2, R);
        SLUICE_CHECK(run(set_R_));
    }
    for (const auto& [id, row] : batch.rows) {
        set_row_.bind(1, key(id));
        set_row_.bind(2, row);
        SLUICE_CHECK(run(set_row_));
    }
    for (const JobId id : batch.purges) SLUICE_CHECK(purge(id));
    for (const auto& [name, value] : batch.meta) {
        set_meta_.bind(1, name);
        set_meta_.bind(2, value);
        SLUICE_CHECK(run(set_meta_));
    }
    for (const auto& [blobref, bytes] : batch.blobs) {
        add_blob_.bind(1, blobref);
        add_blob_.bind(2, epoch_);
        add_blob_.bind_blob(3, *bytes);
        SLUICE_CHECK(run(add_blob_));
    }
    if (batch.checkpoint) SLUICE_CHECK(put_checkpoint(*batch.checkpoint));
    return {};
}

Result<void> Database::put_checkpoint(const StoreBatch::NewCheckpoint& checkpoint) {
    SLUICE_CHECK(run(drop_automatic_));
    add_checkpoint_.bind(1, sqlite3_int64{checkpoint.automatic});
    add_checkpoint_.bind(2, checkpoint.value);
    SLUICE_CHECK(run(add_checkpoint_));
    prune_checkpoints_.bind(1, checkpoints_max);
    return run(prune_checkpoints_);
}

Result<std::optional<std::string>> Database::log(JobId id, std::string_view path) {
    read_log_.bind(1, key(id));
    read_log_.bind(2, path);
    std::optional<std::string> log;
    int rc;
    while ((rc = read_log_.step()) == SQLITE_ROW) {
        if (!log) log.emplace();
        *log += read_log_.text(0);
    }
    read_log_.reset();
    if (rc != SQLITE_DONE) return error();
    return log;
}

Result<LogPart> Database::log_part(JobId id, std::string_view path, LogPlace place,
                                   std::size_t bytes_max) {
    read_log_part_.bind(1, key(id));
    read_log_part_.bind(2, path);
    read_log_part_.bind(3, sqlite3_int64{place.seq});
    read_log_part_.bind(4, static_cast<sqlite3_int64>(place.skip));
    LogPart part;
    part.next = place;
    int rc;
    while ((rc = read_log_part_.step()) == SQLITE_ROW) {
        if (part.data.size() >= bytes_max) {
            part.more = true;
            break;
        }
        part.next = {read_log_part_.integer(0), 0};
        part.data += read_log_part_.text(1);
    }
    read_log_part_.reset();
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return error();
    return part;
}

Result<std::optional<StoredJob>> Database::job(JobId id) {
    read_job_.bind(1, key(id));
    std::optional<StoredJob> job;
    const int rc = read_job_.step();
    if (rc == SQLITE_ROW) {
        job = job_from(read_job_);
        job->jobspec = read_job_.text(4);
        job->updates = read_job_.text(5);
    }
    read_job_.reset();
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return error();
    return job;
}

Result<std::vector<StoredJob>> Database::jobs() {
    SLUICE_TRY(Statement all, prepare("SELECT id,userid,R,row FROM jobs ORDER BY id"));
    std::vector<StoredJob> jobs;
    int rc;
    while ((rc = all.step()) == SQLITE_ROW) jobs.push_back(job_from(all));
    if (rc != SQLITE_DONE) return error();
    for (StoredJob& stored : jobs) {
        if (!stored.row.empty()) continue;
        SLUICE_TRY(auto whole, job(stored.id));
        if (whole) stored = *std::move(whole);
        SLUICE_TRY(auto eventlog, log(stored.id, "eventlog"));
        stored.eventlog = std::move(eventlog).value_or("");
    }
    return jobs;
}

Result<std::optional<std::string>> Database::meta(const std::string& name) {
    SLUICE_TRY(Statement read, prepare("SELECT value FROM meta WHERE key=?1"));
    read.bind(1, name);
    const int rc = read.step();
    if (rc == SQLITE_ROW) return std::optional{read.text(0)};
    if (rc == SQLITE_DONE) return std::optional<std::string>{};
    return error();
}

Result<std::map<std::string, std::string>> Database::logs(JobId id) {
    read_logs_.bind(1, key(id));
    std::map<std::string, std::string> logs;
    int rc;
    while ((rc = read_logs_.step()) == SQLITE_ROW) logs[read_logs_.text(0)] += read_logs_.text(1);
    read_logs_.reset();
    if (rc != SQLITE_DONE) return error();
    return logs;
}

Result<std::optional<std::string>> Database::blob(std::string_view blobref) {
    read_blob_.bind(1, blobref);
    std::optional<std::string> blob;
    const int rc = read_blob_.step();
    if (rc == SQLITE_ROW) blob = read_blob_.text(0);
    read_blob_.reset();
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return error();
    return blob;
}

Result<bool> Database::has_blob(std::string_view blobref) {
    find_blob_.bind(1, blobref);
    const int rc = find_blob_.step();
    find_blob_.reset();
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return error();
    return rc == SQLITE_ROW;
}

Result<std::vector<std::string>> Database::checkpoints() {
    SLUICE_TRY(Statement all, prepare("SELECT value FROM checkpoints ORDER BY id DESC"));
    std::vector<std::string> values;
    int rc;
    while ((rc = all.step()) == SQLITE_ROW) values.push_back(all.text(0));
    if (rc != SQLITE_DONE) return error();
    return values;
}

}  // namespace sluice
