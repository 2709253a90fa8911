#include "broker/content/sqlite_store.hpp"

#include <future>
#include <thread>

#include "base/aio/thread_port.hpp"
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

constexpr std::size_t queue_items_max = 65536;

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
    SLUICE_TRY(Database database, Database::open(options.path, options.durable));
    auto thread = std::make_unique<Thread>(std::move(database), std::move(post));
    return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(thread)}};
}

SqliteStore::SqliteStore(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
SqliteStore::~SqliteStore() = default;

void SqliteStore::commit(std::shared_ptr<const StoreBatch> batch, Done done) {
    thread_->push({std::move(batch), std::move(done), {}});
}

template <class Ask, class Answer>
void SqliteStore::ask(Ask ask, Answer answer) {
    Thread* thread = thread_.get();
    thread->push({nullptr, {}, [=](Database& database) {
                      auto result = ask(database);
                      thread->post([answer, result = std::move(result)] { answer(result); });
                  }});
}

void SqliteStore::read_log(JobId id, std::string path, OnLog on_log) {
    ask([=](Database& database) { return database.log(id, path); }, std::move(on_log));
}

void SqliteStore::read_log_part(JobId id, std::string path, LogPlace place, std::size_t bytes_max,
                                OnPart on_part) {
    ask([=](Database& database) { return database.log_part(id, path, place, bytes_max); },
        std::move(on_part));
}

void SqliteStore::read_logs(JobId id, OnLogs on_logs) {
    ask([=](Database& database) { return database.logs(id); }, std::move(on_logs));
}

void SqliteStore::read_job(JobId id, OnJob on_job) {
    ask([=](Database& database) { return database.job(id); }, std::move(on_job));
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

template <class Ask>
auto SqliteStore::wait(Ask ask) -> decltype(ask(std::declval<Database&>())) {
    std::promise<decltype(ask(std::declval<Database&>()))> answer;
    auto result = answer.get_future();
    thread_->push({nullptr, {}, [&](Database& database) { answer.set_value(ask(database)); }});
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
