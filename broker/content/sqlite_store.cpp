#include "broker/content/sqlite_store.hpp"

#include <sqlite3.h>

#include <thread>

#include "base/aio/thread_port.hpp"

namespace sluice {
namespace {

constexpr std::size_t queue_items_max = 65536;

// Events are clustered by job and log, in the order of their commits.
constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS jobs(
  id INTEGER PRIMARY KEY, userid INTEGER NOT NULL, jobspec TEXT NOT NULL, updates TEXT NOT NULL,
  R TEXT, row TEXT);
CREATE TABLE IF NOT EXISTS events(
  id INTEGER NOT NULL, path TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(id, path, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
)";

struct CloseDatabase {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using DatabasePtr = std::unique_ptr<sqlite3, CloseDatabase>;
using StatementPtr = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

sqlite3_int64 key(JobId id) { return static_cast<sqlite3_int64>(id.value); }

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
    static Result<Database> open(const SqliteStore::Options& options);
    Result<void> apply(const StoreBatch& batch);
    Result<void> execute(const char* sql) {
        if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
        return error();
    }
    Result<std::optional<std::string>> log(JobId id, std::string_view path);
    Result<std::optional<StoredJob>> job(JobId id);
    Result<std::vector<StoredJob>> jobs();
    Result<std::optional<std::string>> meta(const std::string& key);

  private:
    Error error() const { return fail(EIO, "store {}: {}", path_, sqlite3_errmsg(db_.get())); }
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
    Result<void> purge(JobId id);

    std::string path_;
    DatabasePtr db_;
    Statement add_job_, append_, set_R_, set_row_, purge_job_, purge_events_, set_meta_, read_log_,
        read_job_;
    sqlite3_int64 next_seq_ = 1;
};

Result<Database> Database::open(const SqliteStore::Options& options) {
    Database database;
    database.path_ = options.path;
    sqlite3* raw = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int rc = sqlite3_open_v2(options.path.c_str(), &raw, flags, nullptr);
    database.db_.reset(raw);
    if (rc != SQLITE_OK) return database.error();
    sqlite3_busy_timeout(raw, 5000);
    SLUICE_CHECK(database.execute("PRAGMA journal_mode=WAL"));
    SLUICE_CHECK(database.execute(options.durable ? "PRAGMA synchronous=FULL"
                                                  : "PRAGMA synchronous=OFF"));
    SLUICE_CHECK(database.execute(schema));
    SLUICE_CHECK(database.prepare_all());
    SLUICE_TRY(Statement max, database.prepare("SELECT coalesce(max(seq),0) FROM events"));
    if (max.step() == SQLITE_ROW) database.next_seq_ = max.integer(0) + 1;
    return database;
}

Result<void> Database::prepare_all() {
    struct Row {
        Statement Database::*statement;
        const char* sql;
    };
    const Row rows[] = {
        {&Database::add_job_,
         "INSERT INTO jobs(id,userid,jobspec,updates) VALUES(?1,?2,?3,?4)"},
        {&Database::append_, "INSERT INTO events(id,path,seq,data) VALUES(?1,?2,?3,?4)"},
        {&Database::set_R_, "UPDATE jobs SET R=?2 WHERE id=?1"},
        {&Database::set_row_, "UPDATE jobs SET row=?2 WHERE id=?1"},
        {&Database::purge_job_, "DELETE FROM jobs WHERE id=?1"},
        {&Database::purge_events_, "DELETE FROM events WHERE id=?1"},
        {&Database::set_meta_, "INSERT OR REPLACE INTO meta(key,value) VALUES(?1,?2)"},
        {&Database::read_log_, "SELECT data FROM events WHERE id=?1 AND path=?2 ORDER BY seq"},
        {&Database::read_job_, "SELECT id,userid,jobspec,updates,R,row FROM jobs WHERE id=?1"},
    };
    for (const Row& row : rows) {
        SLUICE_TRY(this->*row.statement, prepare(row.sql));
    }
    return {};
}

Result<void> Database::purge(JobId id) {
    purge_job_.bind(1, key(id));
    SLUICE_CHECK(run(purge_job_));
    purge_events_.bind(1, key(id));
    return run(purge_events_);
}

Result<void> Database::apply(const StoreBatch& batch) {
    for (const auto& job : batch.jobs) {
        add_job_.bind(1, key(job.id));
        add_job_.bind(2, sqlite3_int64{job.userid.value});
        add_job_.bind(3, job.jobspec);
        add_job_.bind(4, job.updates);
        SLUICE_CHECK(run(add_job_));
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
    return {};
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

StoredJob job_from(const Statement& row) {
    StoredJob job;
    job.id = JobId{static_cast<std::uint64_t>(row.integer(0))};
    job.userid = UserId{static_cast<std::uint32_t>(row.integer(1))};
    job.jobspec = row.text(2);
    job.updates = row.text(3);
    if (!row.is_null(4)) job.R = row.text(4);
    if (!row.is_null(5)) job.row = row.text(5);
    return job;
}

Result<std::optional<StoredJob>> Database::job(JobId id) {
    read_job_.bind(1, key(id));
    std::optional<StoredJob> job;
    const int rc = read_job_.step();
    if (rc == SQLITE_ROW) job = job_from(read_job_);
    read_job_.reset();
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return error();
    return job;
}

Result<std::vector<StoredJob>> Database::jobs() {
    SLUICE_TRY(Statement all, prepare("SELECT id,userid,CASE WHEN row IS NULL THEN jobspec END,"
                                      "updates,R,row FROM jobs ORDER BY id"));
    std::vector<StoredJob> jobs;
    int rc;
    while ((rc = all.step()) == SQLITE_ROW) jobs.push_back(job_from(all));
    if (rc != SQLITE_DONE) return error();
    for (StoredJob& job : jobs) {
        if (!job.row.empty()) continue;
        SLUICE_TRY(auto eventlog, log(job.id, "eventlog"));
        job.eventlog = std::move(eventlog).value_or("");
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

}  // namespace

class SqliteStore::Thread {
  public:
    /// One thing to do: a commit when `batch` is set, else a question.
    struct Work {
        std::shared_ptr<const StoreBatch> batch;
        Done done;
        std::function<void(Database&)> ask;
    };

    Thread(Database database, Post post)
        : database_(std::move(database)), post_(std::move(post)), thread_([this] { loop(); }) {}
    ~Thread() {
        Work last;
        last.ask = [this](Database&) { ended_ = true; };
        port_.push(std::move(last));
        thread_.join();
    }
    void push(Work work) { port_.push(std::move(work)); }
    /// Until the first push only the constructing thread uses the database.
    Database& database() { return database_; }
    void post(std::function<void()> answer) { post_(std::move(answer)); }

  private:
    void loop() {
        while (!ended_) {
            std::vector<Work> works = port_.take_all();
            std::size_t next = 0;
            while (next < works.size()) {
                if (works[next].batch) next = commit_from(works, next);
                else works[next++].ask(database_);
            }
        }
    }
    /// Commits works[first] and the commits that follow it in one transaction.
    std::size_t commit_from(std::vector<Work>& works, std::size_t first) {
        std::size_t end = first;
        Result<void> result = database_.execute("BEGIN IMMEDIATE");
        for (; end < works.size() && works[end].batch; ++end)
            if (result) result = database_.apply(*works[end].batch);
        if (result) result = database_.execute("COMMIT");
        if (!result) (void)database_.execute("ROLLBACK");
        std::vector<Done> dones;
        for (std::size_t i = first; i < end; ++i) dones.push_back(std::move(works[i].done));
        post_([dones = std::move(dones), result] {
            for (const Done& done : dones) done(result);
        });
        return end;
    }

    Database database_;
    Post post_;
    ThreadPort<Work> port_{queue_items_max};
    bool ended_ = false;
    std::jthread thread_;
};

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const Options& options, Post post) {
    SLUICE_TRY(Database database, Database::open(options));
    auto thread = std::make_unique<Thread>(std::move(database), std::move(post));
    return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(thread)}};
}

SqliteStore::SqliteStore(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
SqliteStore::~SqliteStore() = default;

void SqliteStore::commit(std::shared_ptr<const StoreBatch> batch, Done done) {
    thread_->push({std::move(batch), std::move(done), {}});
}

void SqliteStore::read_log(JobId id, std::string path, OnLog on_log) {
    Thread* thread = thread_.get();
    thread->push({nullptr, {}, [=, on_log = std::move(on_log)](Database& database) {
                      auto log = database.log(id, path);
                      thread->post([on_log, log = std::move(log)] { on_log(log); });
                  }});
}

void SqliteStore::read_job(JobId id, OnJob on_job) {
    Thread* thread = thread_.get();
    thread->push({nullptr, {}, [=, on_job = std::move(on_job)](Database& database) {
                      auto job = database.job(id);
                      thread->post([on_job, job = std::move(job)] { on_job(job); });
                  }});
}

Result<std::vector<StoredJob>> SqliteStore::load_jobs() { return thread_->database().jobs(); }

Result<std::optional<std::string>> SqliteStore::load_meta(const std::string& name) {
    return thread_->database().meta(name);
}

}  // namespace sluice
