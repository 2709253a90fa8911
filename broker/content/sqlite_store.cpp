#include "broker/content/sqlite_store.hpp"

#include <chrono>
#include <future>
#include <set>
#include <span>
#include <thread>

#include "base/aio/thread_port.hpp"
#include "broker/content/blob_collector.hpp"
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

constexpr std::size_t queue_items_max = 65536;
constexpr std::chrono::milliseconds retry_after{250};  // of commits, when the disk is full

}  // namespace

class SqliteStore::Thread {
  public:
    /// One thing to do: a commit when `batch` is set, else a question.
    struct Work {
        std::shared_ptr<const StoreBatch> batch;
        Done done;
        std::function<void(Database&)> ask;
        std::optional<JobId> about;  // of a question about one job
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
    void on_stalled(OnStalled on_stalled) { on_stalled_ = std::move(on_stalled); }
    void post(std::function<void()> answer) { post_(std::move(answer)); }

  private:
    void loop() {
        while (!ended_) {
            std::vector<Work> works =
                stalled_.empty() ? port_.take_all() : port_.take_all_within(retry_after);
            if (!stalled_.empty()) retry();
            std::size_t next = 0;
            while (next < works.size()) {
                if (works[next].batch) next = commit_from(works, next);
                else answer_question(works[next++]);
            }
        }
    }
    /// Commits works[first] and the commits that follow it in one transaction. When there is no
    /// room for them they wait, and all that come after them too: commits keep their order.
    std::size_t commit_from(std::vector<Work>& works, std::size_t first) {
        std::size_t end = first;
        while (end < works.size() && works[end].batch) ++end;
        const std::span<Work> commits{works.data() + first, end - first};
        Result<void> result;
        if (stalled_.empty()) result = commit(commits);
        if (stalled_.empty() && (result || result.error().errnum() != ENOSPC)) {
            answer(commits, result);
            return end;
        }
        if (stalled_.empty()) tell_stalled(result);
        for (Work& work : commits) {
            for (const auto& append : work.batch->appends) stalled_jobs_.insert(append.id);
            stalled_.push_back(std::move(work));
        }
        return end;
    }
    /// A question about a job whose commits wait is asked after them, as always.
    void answer_question(Work& work) {
        if (work.about && stalled_jobs_.contains(*work.about)) questions_.push_back(work);
        else work.ask(database_);
    }
    Result<void> commit(std::span<const Work> works) {
        Result<void> result = database_.execute("BEGIN IMMEDIATE");
        for (const Work& work : works)
            if (result) result = database_.apply(*work.batch);
        if (result) result = database_.execute("COMMIT");
        if (!result) (void)database_.execute("ROLLBACK");
        return result;
    }
    void answer(std::span<Work> works, const Result<void>& result) {
        std::vector<Done> dones;
        for (Work& work : works) dones.push_back(std::move(work.done));
        post_([dones = std::move(dones), result] {
            for (const Done& done : dones) done(result);
        });
    }
    void retry() {
        if (std::chrono::steady_clock::now() < next_retry_) return;
        const Result<void> result = commit(stalled_);
        next_retry_ = std::chrono::steady_clock::now() + retry_after;
        if (!result && result.error().errnum() == ENOSPC) return;
        tell_stalled({});
        answer(stalled_, result);
        stalled_.clear();
        stalled_jobs_.clear();
        for (const Work& work : std::exchange(questions_, {})) work.ask(database_);
    }
    void tell_stalled(const Result<void>& result) {
        post_([on_stalled = on_stalled_, result] {
            if (on_stalled) on_stalled(result);
        });
    }

    Database database_;
    Post post_;
    ThreadPort<Work> port_{queue_items_max};
    bool ended_ = false;
    std::vector<Work> stalled_;  // commits for which there is no room
    std::set<JobId> stalled_jobs_;
    std::vector<Work> questions_;  // that wait for them
    std::chrono::steady_clock::time_point next_retry_{};
    OnStalled on_stalled_;
    std::jthread thread_;
};

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const Options& options, Post post) {
    SLUICE_TRY(Database database, Database::open(options.path, options.durable));
    auto thread = std::make_unique<Thread>(std::move(database), std::move(post));
    return std::unique_ptr<SqliteStore>{new SqliteStore{std::move(thread)}};
}

SqliteStore::SqliteStore(std::unique_ptr<Thread> thread) : thread_(std::move(thread)) {}
SqliteStore::~SqliteStore() = default;

void SqliteStore::on_stalled(OnStalled on_stalled) {
    Thread::Work work;
    work.ask = [thread = thread_.get(), on_stalled](Database&) { thread->on_stalled(on_stalled); };
    thread_->push(std::move(work));
}

void SqliteStore::commit(std::shared_ptr<const StoreBatch> batch, Done done) {
    thread_->push({std::move(batch), std::move(done), {}, {}});
}

template <class Ask, class Answer>
void SqliteStore::ask(Ask ask, Answer answer, std::optional<JobId> about) {
    Thread* thread = thread_.get();
    Thread::Work work;
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
    Thread::Work work;
    work.ask = [&](Database& database) { answer.set_value(ask(database)); };
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
