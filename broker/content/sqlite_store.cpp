#include "broker/content/sqlite_store.hpp"

#include <future>

#include "broker/content/blob_collector.hpp"
#include "broker/content/sqlite_store_thread.hpp"

namespace sluice {

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const Options& options, Post post) {
    SLUICE_TRY(Database database, Database::open(options.path, options.durable));
    auto thread = std::make_unique<Thread>(options, std::move(database), std::move(post));
    return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(thread)}};
}

SqliteStore::SqliteStore(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
SqliteStore::~SqliteStore() = default;

void SqliteStore::on_stalled(OnStalled on_stalled) {
    StoreWork work;
    work.ask = [thread = thread_.get(), on_stalled](Database&) { thread->on_stalled(on_stalled); };
    thread_->push(std::move(work));
}

void SqliteStore::commit(std::shared_ptr<const StoreBatch> batch, Done done) {
    StoreWork work;
    work.batch = std::move(batch);
    work.done = std::move(done);
    thread_->push(std::move(work));
}

template <class Ask, class Answer>
void SqliteStore::ask(Ask ask, Answer answer, std::optional<JobId> about) {
    Thread* thread = thread_.get();
    StoreWork work;
    work.ask = [=](Database& database) {
        auto result = ask(database);
        thread->post([answer, result = std::move(result)] { answer(result); });
    };
    work.about = about;
    thread->push(std::move(work));
}

void SqliteStore::read_log(JobId id, std::string path, OnLog on_log) {
    ask([=](Database& database) { return database.log(id, path); }, std::move(on_log), id);
}

void SqliteStore::read_log_part(JobId id, std::string path, LogPlace place, std::size_t bytes_max,
                                OnPart on_part) {
    ask([=](Database& database) { return database.log_part(id, path, place, bytes_max); },
        std::move(on_part), id);
}

void SqliteStore::read_logs(JobId id, OnLogs on_logs) {
    ask([=](Database& database) { return database.logs(id); }, std::move(on_logs), id);
}

void SqliteStore::read_job(JobId id, OnJob on_job) {
    ask([=](Database& database) { return database.job(id); }, std::move(on_job), id);
}

void SqliteStore::read_blob(std::string blobref, OnBlob on_blob) {
    ask([=](Database& database) { return database.blob(blobref); }, std::move(on_blob));
}

void SqliteStore::has_blob(std::string blobref, OnFound on_found) {
    ask([=](Database& database) { return database.has_blob(blobref); }, std::move(on_found));
}

void SqliteStore::read_checkpoints(OnCheckpoints on_checkpoints) {
    ask([](Database& database) { return database.checkpoints(); }, std::move(on_checkpoints));
}

void SqliteStore::next_epoch(OnHorizon on_horizon) {
    ask([](Database& database) { return database.next_epoch(); }, std::move(on_horizon));
}

void SqliteStore::collect(std::shared_ptr<BlobCollector> collector, OnSlice on_slice) {
    ask([collector](Database& database) -> Result<bool> {
            SLUICE_CHECK(database.execute("BEGIN IMMEDIATE"));
            Result<bool> done = collector->step(database);
            if (done) {
                if (const auto kept = database.execute("COMMIT"); !kept) done = kept.error();
            }
            if (!done) (void)database.execute("ROLLBACK");
            return done;
        },
        std::move(on_slice));
}

template <class Ask>
auto SqliteStore::wait(Ask ask) -> decltype(ask(std::declval<Database&>())) {
    std::promise<decltype(ask(std::declval<Database&>()))> answer;
    auto result = answer.get_future();
    StoreWork work;
    work.ask = [&](Database& database) { answer.set_value(ask(database)); };
    work.awaited = true;
    thread_->push(std::move(work));
    return result.get();
}

Result<std::vector<StoredJob>> SqliteStore::load_jobs() {
    return wait([](Database& database) { return database.jobs(); });
}

Result<std::optional<std::string>> SqliteStore::load_meta(const std::string& name) {
    return wait([&](Database& database) { return database.meta(name); });
}

Result<std::optional<std::string>> SqliteStore::load_blob(const std::string& blobref) {
    return wait([&](Database& database) { return database.blob(blobref); });
}

Result<std::vector<std::string>> SqliteStore::load_checkpoints() {
    return wait([](Database& database) { return database.checkpoints(); });
}

}  // namespace sluice
