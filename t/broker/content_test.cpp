#include "broker/content/content.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/aio/thread_port.hpp"
#include "base/rfc/treeobj.hpp"
#include "broker/content/blob_collector.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

TEST(ContentCache, KeepsEqualBlobsOnceUntilTheyAreWritten) {
    ContentCache cache;
    const std::string ref = *cache.store("blob\n");
    EXPECT_EQ(ref, "sha1-4b1568079f8fc1adcdbff5bf24b9be9fc9e4576d");
    EXPECT_EQ(*cache.store("blob\n"), ref);
    EXPECT_EQ(cache.stats().dirty, 1u);
    const auto blobs = cache.take_dirty();
    ASSERT_EQ(blobs.size(), 1u);
    EXPECT_TRUE(cache.take_dirty().empty());
    cache.written(blobs, false);
    EXPECT_EQ(cache.take_dirty().size(), 1u);
    cache.written(blobs, true);
    EXPECT_EQ(cache.stats().dirty, 0u);
    EXPECT_EQ(*cache.find(ref), "blob\n");
}

TEST(ContentCache, ForgetsTheLeastRecentlyUsedOfWhatTheStoreHas) {
    ContentCache cache{"sha1", 25};
    const std::string a = *cache.store("aaaaaaaaaa"), b = *cache.store("bbbbbbbbbb"),
                      c = *cache.store("cccccccccc");
    EXPECT_EQ(cache.stats().bytes, 30u);  // dirty: all stay
    cache.written(cache.take_dirty(), true);
    EXPECT_FALSE(cache.find(a));
    EXPECT_TRUE(cache.find(b));
    const std::string d = *cache.store("dddddddddd");
    cache.written(cache.take_dirty(), true);
    EXPECT_TRUE(cache.find(b) && cache.find(d));
    EXPECT_FALSE(cache.find(c));
    cache.drop_clean();
    EXPECT_EQ(cache.stats().count, 0u);
    EXPECT_EQ(cache.stats().bytes, 0u);
}

class ContentTest : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = testing::TempDir() + "sluice-content-XXXXXX";
        ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
        open();
    }
    void TearDown() override {
        content_.reset();
        store_.reset();
        std::filesystem::remove_all(folder_);
    }
    void open() {
        content_.reset();
        store_.reset();
        auto store = SqliteStore::open({folder_ + "/content.sqlite", false},
                                       [this](auto work) { answers_.push(std::move(work)); });
        ASSERT_TRUE(store) << store.error().text();
        store_ = *std::move(store);
        content_ = std::make_unique<Content>(ContentCache{}, *store_);
    }
    template <class Until>
    void run_until(Until until) {
        while (!until())
            for (auto& answer : answers_.take_all()) answer();
    }
    Content::Done expect_done(bool& done) {
        return [&done](const Result<void>& result) {
            EXPECT_TRUE(result) << (result ? "" : result.error().text());
            done = true;
        };
    }
    std::string load(const std::string& ref) {
        std::optional<std::string> text;
        content_->load(ref, [&](const Result<Blob>& blob) {
            text = blob ? **blob : blob.error().text();
        });
        run_until([&] { return text.has_value(); });
        return *text;
    }
    std::string folder_;
    ThreadPort<std::function<void()>> answers_{1000};
    std::unique_ptr<SqliteStore> store_;
    std::unique_ptr<Content> content_;
};

TEST_F(ContentTest, FlushedBlobsOutliveTheBroker) {
    const std::string ref = *content_->cache().store("kept");
    bool done = false;
    content_->flush(expect_done(done));
    run_until([&] { return done; });
    open();
    EXPECT_EQ(load(ref), "kept");
    EXPECT_EQ(load("sha1-0000000000000000000000000000000000000000"), "No such file or directory");
    content_->cache().drop_clean();
    EXPECT_EQ(load(ref), "kept");
}

TEST_F(ContentTest, ACheckpointComesWithItsBlobs) {
    const std::string ref = *content_->cache().store("root");
    bool done = false;
    content_->checkpoint({R"({"rootref":")" + ref + R"("})", false}, expect_done(done));
    run_until([&] { return done; });
    open();
    const auto checkpoints = store_->load_checkpoints();
    ASSERT_TRUE(checkpoints);
    EXPECT_THAT(*checkpoints, ElementsAre(R"({"rootref":")" + ref + R"("})"));
    EXPECT_EQ(*store_->load_blob(ref), "root");
}

TEST_F(ContentTest, OfAutomaticCheckpointsOnlyTheLastIsKept) {
    bool done = false;
    for (const auto& [value, automatic] :
         std::vector<std::pair<std::string, bool>>{{"1", false}, {"2", true}, {"3", true},
                                                   {"4", false}, {"5", false}, {"6", false},
                                                   {"7", false}, {"8", true}}) {
        done = false;
        content_->checkpoint({value, automatic}, expect_done(done));
        run_until([&] { return done; });
    }
    EXPECT_THAT(*store_->load_checkpoints(), ElementsAre("8", "7", "6", "5", "4"));
}

TEST(ContentCache, WhatIsStoredInANewEpochIsWrittenAgain) {
    ContentCache cache;
    const std::string a = *cache.store("a"), b = *cache.store("b");
    cache.written(cache.take_dirty(), true);
    (void)cache.store("a");
    EXPECT_EQ(cache.stats().dirty, 0u);
    cache.next_epoch();
    (void)cache.store("a");
    const auto again = cache.take_dirty();
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(again[0].blobref, a);
    cache.next_epoch();
    (void)cache.store("a");  // while it is on its way with the older epoch
    cache.written(again, true);
    EXPECT_EQ(cache.take_dirty().size(), 1u);
    cache.drop_clean();
    EXPECT_FALSE(cache.find(b));
}

/// A collection over the store, with what happens in between.
class CollectionTest : public ContentTest {
  protected:
    std::string put_value(std::string text) { return *content_->cache().store(std::move(text)); }
    std::string put_directory(const TreeObject::Entries& entries) {
        return *content_->cache().store(dump_json(encode_treeobj(TreeObject::make_dir(entries))));
    }
    void flush() {
        bool done = false;
        content_->flush(expect_done(done));
        run_until([&] { return done; });
    }
    void begin() {
        content_->cache().next_epoch();
        bool done = false;
        store_->next_epoch([&](const Result<CollectionHorizon>& horizon) {
            ASSERT_TRUE(horizon);
            horizon_ = *horizon;
            done = true;
        });
        run_until([&] { return done; });
    }
    Result<void> collect(std::vector<std::string> roots) {
        collector_ = std::make_shared<BlobCollector>(horizon_, std::move(roots));
        for (;;) {
            std::optional<Result<bool>> slice;
            store_->collect(collector_, [&](const Result<bool>& done) { slice = done; });
            run_until([&] { return slice.has_value(); });
            if (!*slice) return slice->error();
            if (**slice) return {};
        }
    }
    bool stored(const std::string& ref) { return store_->load_blob(ref)->has_value(); }

    CollectionHorizon horizon_;
    std::shared_ptr<BlobCollector> collector_;
};

TEST_F(CollectionTest, KeepsWhatTheRootsAndCheckpointsReachAndDeletesTheRest) {
    const std::string value = put_value("value"), old = put_value("old"), junk = put_value("junk");
    const std::string below = put_directory({{"v", TreeObject::make_valref({value})}});
    const std::string root = put_directory({{"d", TreeObject::make_dirref(below)}});
    const std::string kept = put_directory({{"o", TreeObject::make_valref({old})}});
    bool done = false;
    content_->checkpoint({R"({"rootref":")" + kept + R"("})", false}, expect_done(done));
    run_until([&] { return done; });
    begin();
    ASSERT_TRUE(collect({root}));
    for (const std::string& ref : {value, old, below, root, kept}) EXPECT_TRUE(stored(ref)) << ref;
    EXPECT_FALSE(stored(junk));
    EXPECT_EQ(collector_->marked(), 5);
    EXPECT_EQ(collector_->reclaimed(), 1);
    begin();
    ASSERT_TRUE(collect({root}));
    EXPECT_EQ(collector_->reclaimed(), 0);
}

TEST_F(CollectionTest, WhatComesIntoUseMeanwhileStays) {
    const std::string junk = put_value("used again"), root = put_directory({});
    flush();
    begin();
    EXPECT_EQ(put_value("used again"), junk);
    const std::string fresh = put_value("new");
    flush();
    ASSERT_TRUE(collect({root}));
    EXPECT_TRUE(stored(junk) && stored(fresh) && stored(root));
    EXPECT_EQ(collector_->reclaimed(), 0);
}

TEST_F(CollectionTest, DeletesNothingWhenADirectoryIsMissing) {
    const std::string junk = put_value("junk");
    const std::string gone = "sha1-0000000000000000000000000000000000000000";
    const std::string root = put_directory({{"d", TreeObject::make_dirref(gone)}});
    flush();
    begin();
    const Result<void> collected = collect({root});
    ASSERT_FALSE(collected);
    EXPECT_EQ(collected.error().errnum(), ENOENT);
    EXPECT_TRUE(stored(junk));
}

TEST_F(CollectionTest, ManyBlobsTakeManySlices) {
    TreeObject::Entries entries;
    std::vector<std::string> junk;
    for (int i = 0; i < 3000; ++i) {
        const std::string value = put_value("value " + std::to_string(i));
        entries.emplace("d" + std::to_string(i),
                        TreeObject::make_dirref(
                            put_directory({{"v", TreeObject::make_valref({value})}})));
        junk.push_back(put_value("junk " + std::to_string(i)));
    }
    const std::string root = put_directory(entries);
    flush();
    begin();
    ASSERT_TRUE(collect({root}));
    EXPECT_EQ(collector_->marked(), 6001);
    EXPECT_EQ(collector_->reclaimed(), 3000);
    for (const std::string& ref : junk) EXPECT_FALSE(stored(ref));
}

TEST_F(ContentTest, WritesBehindOnceSomethingIsDirty) {
    int asked = 0;
    content_->hooks.later = [&] { ++asked; };
    content_->hooks.root = [] { return StoreBatch::NewCheckpoint{"root", true}; };
    content_->changed();
    EXPECT_EQ(asked, 0);
    const std::string ref = *content_->cache().store("a");
    content_->changed();
    content_->changed();
    EXPECT_EQ(asked, 1);
    content_->write_behind();
    run_until([&] { return content_->cache().stats().dirty == 0; });
    EXPECT_EQ(*store_->load_blob(ref), "a");
    EXPECT_THAT(*store_->load_checkpoints(), ElementsAre("root"));
}

}  // namespace
}  // namespace sluice
