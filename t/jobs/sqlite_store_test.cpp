#include "broker/content/sqlite_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/aio/thread_port.hpp"
#include "broker/content/sqlite_store_database.hpp"

namespace sluice {
namespace {

class SqliteStoreTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string folder = testing::TempDir() + "sluice-store-XXXXXX";
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
        open();
    }
    void TearDown() override {
        store_.reset();
        std::filesystem::remove_all(folder_);
    }
    void open() {
        store_.reset();
        auto store = SqliteStore::open({folder_ + "/jobs.sqlite", false},
                                       [this](auto work) { answers_.push(std::move(work)); });
        ASSERT_TRUE(store) << store.error().text();
        store_ = *std::move(store);
    }
    /// Runs what the store's thread answers until `done`.
    template <class Done>
    void run_until(Done done) {
        while (!done())
            for (auto& answer : answers_.take_all()) answer();
    }
    void commit(StoreBatch batch) {
        bool stored = false;
        store_->commit(std::make_shared<const StoreBatch>(std::move(batch)),
                       [&](const Result<void>& result) {
                           EXPECT_TRUE(result) << (result ? "" : result.error().text());
                           stored = true;
                       });
        run_until([&] { return stored; });
    }
    std::optional<std::string> log(std::uint64_t id, const std::string& path) {
        std::optional<std::string> found;
        bool answered = false;
        store_->read_log(JobId{id}, path, [&](const auto& log) {
            if (log) found = *log;
            answered = true;
        });
        run_until([&] { return answered; });
        return found;
    }
    std::string folder_;
    ThreadPort<std::function<void()>> answers_{1000};
    std::unique_ptr<SqliteStore> store_;
};

StoreBatch new_job(std::uint64_t id) {
    StoreBatch batch;
    batch.jobs.push_back({JobId{id}, UserId{1000}, "{\"version\":1}", "{}"});
    batch.appends.push_back({JobId{id}, "eventlog", "one\n"});
    return batch;
}

TEST_F(SqliteStoreTest, ReadsALogInPartsFromAPlace) {
    for (const char* lines : {"one\n", "two\n", "three\n", "four\n"}) {
        StoreBatch batch;
        batch.appends.push_back({JobId{7}, "guest.output", lines});
        commit(std::move(batch));
    }
    const auto part = [&](LogPlace place, std::size_t bytes_max) {
        std::optional<LogPart> found;
        store_->read_log_part(JobId{7}, "guest.output", place, bytes_max, [&](const auto& result) {
            ASSERT_TRUE(result);
            found = *result;
        });
        run_until([&] { return found.has_value(); });
        return *found;
    };
    const LogPart first = part({}, 5);
    EXPECT_EQ(first.data, "one\ntwo\n");
    EXPECT_TRUE(first.more);
    const LogPart rest = part(first.next, 100);
    EXPECT_EQ(rest.data, "three\nfour\n");
    EXPECT_FALSE(rest.more);
    EXPECT_EQ(part({first.next.seq, 1}, 100).data, "four\n");
    const LogPart none = part(rest.next, 100);
    EXPECT_EQ(none.data, "");
    EXPECT_EQ(none.next.seq, rest.next.seq);
    EXPECT_FALSE(none.more);
}

TEST_F(SqliteStoreTest, LogsComeBackInTheOrderOfCommits) {
    commit(new_job(7));
    StoreBatch more;
    more.appends.push_back({JobId{7}, "eventlog", "two\nthree\n"});
    more.appends.push_back({JobId{7}, "guest.output", std::string{"a\0b\n", 4}});
    commit(std::move(more));
    EXPECT_EQ(log(7, "eventlog"), "one\ntwo\nthree\n");
    EXPECT_EQ(log(7, "guest.output"), (std::string{"a\0b\n", 4}));
    EXPECT_EQ(log(7, "guest.input"), std::nullopt);
    EXPECT_EQ(log(8, "eventlog"), std::nullopt);
}

TEST_F(SqliteStoreTest, WhatWasCommittedIsThereAfterReopening) {
    commit(new_job(1));
    commit(new_job(2));
    StoreBatch batch;
    batch.resources.emplace_back(JobId{1}, "{\"R\":1}");
    batch.rows.emplace_back(JobId{2}, "{\"id\":2}");
    batch.meta.emplace_back("queues", "{}");
    commit(std::move(batch));
    open();
    const auto jobs = store_->load_jobs();
    ASSERT_TRUE(jobs);
    ASSERT_EQ(jobs->size(), 2u);
    EXPECT_EQ((*jobs)[0].R, "{\"R\":1}");
    EXPECT_EQ((*jobs)[0].eventlog, "one\n");
    EXPECT_EQ((*jobs)[1].row, "{\"id\":2}");
    EXPECT_EQ((*jobs)[1].eventlog, "");
    EXPECT_EQ(*store_->load_meta("queues"), "{}");
    EXPECT_EQ(*store_->load_meta("nothing"), std::nullopt);
}

TEST_F(SqliteStoreTest, ABatchThatFailsChangesNothing) {
    commit(new_job(1));
    StoreBatch batch = new_job(2);
    batch.jobs.push_back({JobId{1}, UserId{1000}, "again", "{}"});
    bool refused = false;
    store_->commit(std::make_shared<const StoreBatch>(std::move(batch)),
                   [&](const Result<void>& result) { refused = !result; });
    EXPECT_EQ(log(2, "eventlog"), std::nullopt);
    EXPECT_TRUE(refused);
}

TEST_F(SqliteStoreTest, PurgedJobsAreGone) {
    commit(new_job(1));
    StoreBatch batch;
    batch.purges.push_back(JobId{1});
    commit(std::move(batch));
    EXPECT_EQ(log(1, "eventlog"), std::nullopt);
    open();
    EXPECT_TRUE(store_->load_jobs()->empty());
}

TEST_F(SqliteStoreTest, AnswersComeInTheOrderOfTheQuestions) {
    std::vector<int> order;
    for (int i = 0; i < 50; ++i) {
        store_->commit(std::make_shared<const StoreBatch>(new_job(100 + std::uint64_t(i))),
                       [&, i](const auto&) { order.push_back(2 * i); });
        store_->read_log(JobId{100 + std::uint64_t(i)}, "eventlog", [&, i](const auto& log) {
            EXPECT_EQ(*log, "one\n");
            order.push_back(2 * i + 1);
        });
    }
    run_until([&] { return order.size() == 100; });
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(SqliteStore, SaysWhichFileCannotBeOpened) {
    const auto store = SqliteStore::open({"/nonexistent/folder/jobs.sqlite", false}, [](auto) {});
    ASSERT_FALSE(store);
    EXPECT_THAT(store.error().text(), testing::HasSubstr("/nonexistent/folder/jobs.sqlite"));
}

/// A store as the first version made it.
constexpr const char* first_format = R"(
CREATE TABLE jobs(id INTEGER PRIMARY KEY, userid INTEGER NOT NULL, jobspec TEXT NOT NULL,
  updates TEXT NOT NULL, R TEXT, row TEXT);
CREATE TABLE events(id INTEGER NOT NULL, path TEXT NOT NULL, seq INTEGER NOT NULL,
  data BLOB NOT NULL, PRIMARY KEY(id, path, seq)) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE blobs(blobref TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE checkpoints(id INTEGER PRIMARY KEY AUTOINCREMENT, automatic INTEGER NOT NULL,
  value TEXT NOT NULL);
INSERT INTO jobs VALUES(5,1000,'{"version":1}','{"a":1}','{"version":1,"execution":{}}',NULL),
  (6,1000,'{"version":1}','{}',NULL,'{"id":6}');
INSERT INTO events VALUES(5,'eventlog',1,'one'||char(10)),(5,'eventlog',2,'two'||char(10));
INSERT INTO blobs VALUES('kept','k'),('junk','j');
)";

void make_database(const std::string& path, const char* sql) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    const DatabasePtr database{raw};
    ASSERT_EQ(sqlite3_exec(raw, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
}

TEST_F(SqliteStoreTest, AStoreOfTheFirstFormatIsBroughtUpToDate) {
    const std::string path = folder_ + "/old.sqlite";
    make_database(path, first_format);
    for (int again = 0; again < 2; ++again) {
        auto database = Database::open(path, false);
        ASSERT_TRUE(database) << database.error().text();
        const auto jobs = database->jobs();
        ASSERT_TRUE(jobs);
        ASSERT_EQ(jobs->size(), 2u);
        EXPECT_EQ(jobs->at(0).updates, "{\"a\":1}");
        EXPECT_TRUE(jobs->at(0).R);
        EXPECT_TRUE(jobs->at(0).eventlog.starts_with("one\ntwo\n")) << jobs->at(0).eventlog;
        EXPECT_EQ(jobs->at(1).row, "{\"id\":6}");
        EXPECT_EQ((*database->job(JobId{6}))->jobspec, "{\"version\":1}");
        StoreBatch later;
        later.appends.push_back({JobId{5}, "eventlog", "later\n"});
        ASSERT_TRUE(database->apply(later));
    }
    EXPECT_EQ(*Database::open(path, false)->log(JobId{5}, "eventlog"),
              "one\ntwo\nlater\nlater\n");
}

TEST_F(SqliteStoreTest, BlobsOfTheFirstFormatAreCollected) {
    const std::string path = folder_ + "/old.sqlite";
    make_database(path, first_format);
    {
        auto database = Database::open(path, false);
        ASSERT_TRUE(database) << database.error().text();
        const auto horizon = database->next_epoch();
        ASSERT_TRUE(horizon);
        EXPECT_EQ(horizon->epoch, 1);
        EXPECT_TRUE(*database->mark("kept", horizon->epoch));
        EXPECT_FALSE(*database->mark("kept", horizon->epoch));
        EXPECT_FALSE(*database->mark("nosuch", horizon->epoch));
        EXPECT_EQ(*database->sweep(horizon->epoch, 0, horizon->high_water), 1);
        EXPECT_EQ(*database->blob("kept"), "k");
    }
    EXPECT_EQ(Database::open(path, false)->next_epoch()->epoch, 2);
}

TEST_F(SqliteStoreTest, RefusesStoresThatItWouldSpoil) {
    const std::pair<const char*, const char*> rows[] = {
        {"PRAGMA user_version=99; CREATE TABLE any(a)", "newer version (format 99"},
        {"CREATE TABLE objects(hash, object)", "a database of another program"},
    };
    for (const auto& [sql, reason] : rows) {
        const std::string path = folder_ + "/foreign.sqlite";
        std::filesystem::remove(path);
        make_database(path, sql);
        const auto database = Database::open(path, false);
        ASSERT_FALSE(database);
        EXPECT_THAT(database.error().text(), testing::HasSubstr(reason));
        EXPECT_THAT(database.error().text(), testing::HasSubstr(path));
    }
    const std::string path = folder_ + "/garbage.sqlite";
    std::ofstream{path} << std::string(8192, 'x');
    const auto database = Database::open(path, false);
    ASSERT_FALSE(database);
    EXPECT_THAT(database.error().text(), testing::HasSubstr("not a database"));
}

}  // namespace
}  // namespace sluice
