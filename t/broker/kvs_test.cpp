#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "broker/kvs/namespaces.hpp"
#include "broker/kvs/watcher.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

constexpr Credential owner{UserId{1000}, role::owner};
constexpr Credential guest{UserId{1001}, role::user};

KvsOp put(std::string key, std::string value, std::int64_t flags = 0) {
    return {std::move(key), flags, TreeObject::make_val(std::move(value))};
}
KvsOp unlink_op(std::string key) {
    return {std::move(key), 0, std::nullopt};
}
KvsOp link_op(std::string key, std::string target, std::string name_space = "") {
    return {std::move(key), 0,
            TreeObject{.kind = TreeObject::Kind::symlink,
                       .target = std::move(target),
                       .target_namespace = std::move(name_space)}};
}

struct Fixture {
    ContentCache content;
    KvsNamespaces kvs{content, owner.userid};
    KvsNamespaces::Change last;

    Fixture() {
        kvs.watch([this](const KvsNamespaces::Change& change) { last = change; });
    }
    Result<void> try_commit(const std::vector<KvsOp>& ops, std::string_view name = "primary") {
        KvsBlobs blobs{content};
        std::set<std::string> keys;
        for (const KvsOp& op : ops) keys.insert(normalize_key(op.key));
        SLUICE_CHECK(kvs.apply(name, ops, blobs));
        SLUICE_CHECK(kvs.settle(name));
        kvs.tell(name, keys);
        return {};
    }
    void commit(const std::vector<KvsOp>& ops, std::string_view name = "primary") {
        const auto done = try_commit(ops, name);
        ASSERT_TRUE(done) << done.error().text();
    }
    Result<TreeObject> lookup(const std::string& key, std::int64_t flags = 0,
                              const std::string& root = "", Credential user = owner) {
        KvsBlobs blobs{content};
        return kvs.lookup({.key = key, .rootref = root, .flags = flags}, user, blobs);
    }
    /// The value at a key, or the errno's text.
    std::string get(const std::string& key, std::int64_t flags = 0, const std::string& root = "") {
        const auto object = lookup(key, flags, root);
        return object ? object->value : object.error().text();
    }
    std::string root() { return (*kvs.find("primary", owner))->rootref(); }

    KvsWatcher::Step look(KvsWatcher& watcher) {
        KvsBlobs blobs{content};
        return watcher.look(kvs, owner, blobs);
    }
    /// What the last commit makes of it.
    KvsWatcher::Step update(KvsWatcher& watcher) {
        KvsBlobs blobs{content};
        return watcher.update(last, kvs, owner, blobs);
    }
};

TEST(KvsCommit, IsAtomicAndCountsVersions) {
    Fixture f;
    f.commit({put("a.b", "1"), put("a.c", "2")});
    EXPECT_EQ(f.get("a.b") + f.get("a.c"), "12");
    EXPECT_EQ((*f.kvs.find("primary", owner))->rootseq, 1);
    const std::string before = f.root();
    const auto refused = f.try_commit({put("x.y", "1"), put("a.b", "3"), unlink_op("a.c"),
                                       put("l", "x", kvs_flag::append), put(".", "2")});
    EXPECT_EQ(refused.error().errnum(), EINVAL);
    EXPECT_EQ(f.get("x.y"), "No such file or directory");
    EXPECT_EQ(f.get("a.b") + f.get("a.c"), "12");
    f.commit({});
    EXPECT_EQ(f.root(), before);
}

TEST(KvsCommit, LeavesOldRootsReadable) {
    Fixture f;
    f.commit({put("a", "old"), put("d.b", "1")});
    const std::string root = f.root();
    f.commit({put("a", "new"), unlink_op("d")});
    EXPECT_EQ(f.get("a"), "new");
    EXPECT_EQ(f.get("a", 0, root), "old");
    EXPECT_EQ(f.get("d.b", 0, root), "1");
    EXPECT_EQ(f.get("d.b"), "No such file or directory");
}

TEST(KvsCommit, ReplacesValuesByDirectoriesAndBack) {
    Fixture f;
    f.commit({put("a", "1")});
    f.commit({put("a.b", "2")});
    EXPECT_EQ(f.get("a.b"), "2");
    EXPECT_EQ(f.get("a"), "Is a directory");
    f.commit({put("a", "3")});
    EXPECT_EQ(f.get("a"), "3");
    EXPECT_EQ(f.get("a.b"), "No such file or directory");
}

TEST(KvsCommit, AppendsAsFurtherBlobs) {
    Fixture f;
    f.commit({put("log", "one,", kvs_flag::append)});
    f.commit({put("log", "two", kvs_flag::append)});
    EXPECT_EQ(f.get("log"), "one,two");
    const auto stored = f.lookup("log", kvs_flag::treeobj);
    EXPECT_EQ(stored->refs.size(), 2u);
    f.commit({put("d.x", "1")});
    EXPECT_EQ(f.try_commit({put("d", "x", kvs_flag::append)}).error().errnum(), EISDIR);
    f.commit({link_op("l", "log")});
    EXPECT_EQ(f.try_commit({put("l", "x", kvs_flag::append)}).error().errnum(), EOPNOTSUPP);
    // Undone with the rest of its commit.
    EXPECT_EQ(f.try_commit({put("log", "no", kvs_flag::append), put(".", "")}).error().errnum(),
              EINVAL);
    EXPECT_EQ(f.get("log"), "one,two");
}

TEST(KvsCommit, KeepsLargeValuesAsBlobs) {
    Fixture f;
    const std::string large(1000, 'x');
    f.commit({put("a", large)});
    EXPECT_EQ(f.get("a"), large);
    EXPECT_EQ(f.lookup("a", kvs_flag::treeobj)->kind, TreeObject::Kind::valref);
    f.commit({put("fits", std::string(54, 'x')), put("not", std::string(55, 'x'))});
    EXPECT_EQ(f.lookup("fits", kvs_flag::treeobj)->kind, TreeObject::Kind::val);
    EXPECT_EQ(f.lookup("not", kvs_flag::treeobj)->kind, TreeObject::Kind::valref);
}

// The same roots as the reference makes of the same operations (kvs-mkdir, RFC 10, RFC 11).
TEST(KvsCommit, MakesTheRootsOfTheReference) {
    Fixture f;
    EXPECT_EQ(f.root(), "sha1-c0a9faf907dda6216fd73bf81d0b3b21a1a8cb91");
    ASSERT_TRUE(f.kvs.create("ns1", owner.userid, 0, ""));
    f.commit({put("x", "1")}, "ns1");
    EXPECT_EQ((*f.kvs.find("ns1", owner))->rootref(),
              "sha1-f8c67648539397964a2ef698a350d7e8ea729920");
}

TEST(KvsCommit, WaitsForDirectoriesThatAreNotInMemory) {
    ContentCache content;
    std::string root;
    {
        Fixture f;
        f.commit({put("a.b.c", "1"), put("big", std::string(100, 'x'))});
        root = f.root();
        content = std::move(f.content);
    }
    content.written(content.take_dirty(), true);
    KvsNamespaces kvs{content, owner.userid};
    kvs.set_primary(root, 7);
    KvsBlobs blobs{content};
    content.drop_clean();
    EXPECT_EQ(kvs.apply("primary", {put("a.b.d", "2")}, blobs).error().errnum(), EAGAIN);
    EXPECT_THAT(blobs.take_missing(), ElementsAre(root));
    blobs.give(root, Error{ENOENT});
    EXPECT_EQ(kvs.apply("primary", {put("a.b.d", "2")}, blobs).error().errnum(), ENOENT);
    EXPECT_EQ((*kvs.find("primary", owner))->rootref(), root);
}

TEST(KvsCommit, WritesNoDirectoryThatWasReplacedAtOnce) {
    Fixture f;
    for (int i = 0; i < 100; ++i) f.commit({put("d.k" + std::to_string(i), "1")});
    std::set<std::string> written;
    for (const auto& blob : f.content.take_dirty()) written.insert(blob.blobref);
    EXPECT_TRUE(written.contains(f.root()));
    EXPECT_LE(written.size(), 3u);  // the root, d, and the empty tree of the beginning
}

TEST(KvsCommit, KeepsAReplacedDirectoryThatWasLinkedElsewhere) {
    Fixture f;
    f.commit({put("a.b.c", "1"), put("same.b.c", "1")});
    const TreeObject old = *f.lookup("a", kvs_flag::treeobj);
    f.commit({put("a.b.c", "2")});      // `same` still has the old directories
    f.commit({put("a.b.c", "3")});
    f.commit({{"copy", 0, old}});
    f.commit({put("same.b.c", "4")});   // now only the copy has
    std::map<std::string, Blob> disk;
    const auto blobs = f.content.take_dirty();
    for (const auto& blob : blobs) disk[blob.blobref] = blob.bytes;
    f.content.written(blobs, true);
    f.kvs.trim(0);
    f.content.drop_clean();
    KvsBlobs from_disk{f.content};
    for (const auto& [ref, blob] : disk) from_disk.give(ref, blob);
    const auto value = f.kvs.lookup({.key = "copy.b.c"}, owner, from_disk);
    ASSERT_TRUE(value) << value.error().text();
    EXPECT_EQ(value->value, "1");
}

TEST(KvsLookup, ReadsAgainWhatWasTrimmed) {
    Fixture f;
    f.commit({put("a.b.c", "1"), put("a.v", std::string(100, 'x'))});
    EXPECT_GT(f.kvs.count_loaded(), 3u);
    f.kvs.trim(0);
    EXPECT_EQ(f.kvs.count_loaded(), 0u);
    EXPECT_EQ(f.get("a.b.c"), "1");
    f.commit({put("a.b.d", "2")});
    EXPECT_EQ(f.get("a.b.c") + f.get("a.b.d"), "12");
    EXPECT_EQ(f.get("a.v"), std::string(100, 'x'));
}

TEST(KvsLookup, FollowsLinksAlsoIntoNamespaces) {
    Fixture f;
    ASSERT_TRUE(f.kvs.create("other", owner.userid, 0, ""));
    f.commit({put("there", "far")}, "other");
    f.commit({put("d.v", "near"), link_op("l", "d"), link_op("far", "there", "other"),
              link_op("loop", "loop"), link_op("gone", "nothing")});
    EXPECT_EQ(f.get("l.v"), "near");
    EXPECT_EQ(f.get("far"), "far");
    EXPECT_EQ(f.get("loop"), "Too many levels of symbolic links");
    EXPECT_EQ(f.get("gone"), "No such file or directory");
    EXPECT_EQ(f.lookup("l", kvs_flag::readlink)->target, "d");
    EXPECT_EQ(f.lookup("d", kvs_flag::readlink).error().errnum(), EINVAL);
    f.commit({put("l.w", "through")});
    EXPECT_EQ(f.get("d.w"), "through");
}

TEST(KvsLookup, DirectoriesOnlyWithReaddir) {
    Fixture f;
    f.commit({put("d.v", "1")});
    EXPECT_EQ(f.lookup("d", kvs_flag::readdir)->entries.size(), 1u);
    EXPECT_EQ(f.get("d.v", kvs_flag::readdir), "Not a directory");
    EXPECT_EQ(f.lookup(".", kvs_flag::treeobj)->kind, TreeObject::Kind::dirref);
    EXPECT_EQ(f.get("."), "Is a directory");
    EXPECT_EQ(f.get("d.v.w"), "No such file or directory");
}

TEST(KvsNamespaces, BelongToTheirUsers) {
    Fixture f;
    ASSERT_TRUE(f.kvs.create("g", guest.userid, 0, ""));
    EXPECT_EQ(f.kvs.create("g", guest.userid, 0, "").error().errnum(), EEXIST);
    EXPECT_TRUE(f.kvs.find("g", guest));
    EXPECT_TRUE(KvsNamespaces::check_guest({put("a", "1"), unlink_op("b")}, guest));
    EXPECT_EQ(KvsNamespaces::check_guest({link_op("l", "a")}, guest).error(),
              (Error{EPERM, "guests may not commit symlink objects"}));
    EXPECT_TRUE(KvsNamespaces::check_guest({link_op("l", "a")}, owner));
    EXPECT_EQ(f.kvs.find("primary", guest).error().errnum(), EPERM);
    EXPECT_EQ(f.lookup("a", 0, "", guest).error().errnum(), EPERM);
    EXPECT_EQ(f.lookup("a", 0, f.root(), guest).error().errnum(), EPERM);
    EXPECT_EQ(f.kvs.find("nosuch", owner).error().errnum(), ENOTSUP);
    EXPECT_EQ(f.kvs.remove("primary").error().errnum(), ENOTSUP);
    EXPECT_TRUE(f.kvs.remove("g"));
    EXPECT_TRUE(f.kvs.remove("g"));
}

std::vector<std::string> values(const KvsWatcher::Step& step) {
    std::vector<std::string> all;
    for (const TreeObject& object : step.replies) all.push_back(object.value);
    if (step.end) all.push_back(step.end->text());
    return all;
}

TEST(KvsWatcher, SendsEachCommitOfItsKeyUntilItIsGone) {
    Fixture f;
    f.commit({put("k", "1")});
    KvsWatcher watcher{"primary", "k", kvs_flag::watch};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre("1"));
    f.commit({put("other", "x")});
    EXPECT_THAT(values(f.update(watcher)), ElementsAre());
    f.commit({put("k", "1")});
    EXPECT_THAT(values(f.update(watcher)), ElementsAre("1"));
    f.commit({unlink_op("k")});
    EXPECT_THAT(values(f.update(watcher)),
                ElementsAre("No such file or directory"));
}

TEST(KvsWatcher, UniqLeavesOutEqualValues) {
    Fixture f;
    f.commit({put("k", "1")});
    KvsWatcher watcher{"primary", "k", kvs_flag::watch | kvs_flag::watch_uniq};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre("1"));
    f.commit({put("k", "1")});
    EXPECT_THAT(values(f.update(watcher)), ElementsAre());
    f.commit({put("k", "2")});
    EXPECT_THAT(values(f.update(watcher)), ElementsAre("2"));
}

TEST(KvsWatcher, AppendSendsOnlyWhatIsNewAndEndsWhenOverwritten) {
    Fixture f;
    f.commit({put("k", "a", kvs_flag::append)});
    KvsWatcher watcher{"primary", "k", kvs_flag::watch | kvs_flag::watch_append};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre("a"));
    f.commit({put("k", "b", kvs_flag::append), put("k", "c", kvs_flag::append)});
    EXPECT_THAT(values(f.update(watcher)), ElementsAre("b", "c"));
    f.commit({put("k", "z")});
    const auto step = f.update(watcher);
    ASSERT_TRUE(step.end);
    EXPECT_EQ(*step.end, (Error{EINVAL, "value of key watched with WATCH_APPEND overwritten"}));
}

TEST(KvsWatcher, StreamSendsWhatIsThereAndEnds) {
    Fixture f;
    f.commit({put("k", "a", kvs_flag::append), put("k", "b", kvs_flag::append), put("d.x", "")});
    KvsWatcher watcher{"primary", "k", kvs_flag::stream};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre("a", "b", Error{ENODATA}.text()));
    KvsWatcher dir{"primary", "d", kvs_flag::stream};
    EXPECT_EQ(*f.look(dir).end, (Error{EISDIR, "dirref cannot be streamed"}));
}

TEST(KvsWatcher, EndsWithItsNamespace) {
    Fixture f;
    ASSERT_TRUE(f.kvs.create("ns", owner.userid, 0, ""));
    KvsWatcher watcher{"ns", "k", kvs_flag::waitcreate};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre());
    ASSERT_TRUE(f.kvs.remove("ns"));
    EXPECT_EQ(f.update(watcher).end->errnum(), ENOTSUP);
    KvsWatcher early{"later", "k", kvs_flag::waitcreate};
    EXPECT_THAT(values(f.look(early)), ElementsAre());
    ASSERT_TRUE(f.kvs.create("later", owner.userid, 0, ""));
    EXPECT_THAT(values(f.update(early)), ElementsAre());
    f.commit({put("k", "1")}, "later");
    EXPECT_THAT(values(f.update(early)), ElementsAre("1", Error{ENODATA}.text()));
}

TEST(KvsWatcher, PutsALookOffWhileBlobsAreMissing) {
    Fixture f;
    f.commit({put("k", std::string(100, 'x'))});
    f.content.written(f.content.take_dirty(), true);
    f.content.drop_clean();
    KvsWatcher watcher{"primary", "k", kvs_flag::watch};
    KvsBlobs blobs{f.content};
    EXPECT_TRUE(watcher.look(f.kvs, owner, blobs).missing);
    const auto missing = blobs.take_missing();
    ASSERT_EQ(missing.size(), 1u);
    blobs.give(missing[0], std::make_shared<const std::string>(100, 'x'));
    EXPECT_THAT(values(watcher.look(f.kvs, owner, blobs)), ElementsAre(std::string(100, 'x')));
}

TEST(KvsWatcher, WaitcreateSendsOneValueOnceItIsThere) {
    Fixture f;
    KvsWatcher watcher{"primary", "late.x", kvs_flag::waitcreate};
    EXPECT_THAT(values(f.look(watcher)), ElementsAre());
    f.commit({put("late.x", "1")});
    const auto step = f.update(watcher);
    EXPECT_THAT(values(step), ElementsAre("1", Error{ENODATA}.text()));
    KvsWatcher missing{"primary", "none", kvs_flag::watch};
    EXPECT_THAT(values(f.look(missing)), ElementsAre("No such file or directory"));
}

}  // namespace
}  // namespace sluice
