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

    void commit(const std::vector<KvsOp>& ops, std::string_view name = "primary") {
        const auto done = kvs.commit(name, ops, owner);
        ASSERT_TRUE(done) << done.error().text();
    }
    /// The value at a key, or the errno's text.
    std::string get(const std::string& key, std::int64_t flags = 0, const std::string& root = "") {
        const auto object = kvs.lookup({.key = key, .rootref = root, .flags = flags}, owner);
        return object ? object->value : object.error().text();
    }
};

TEST(KvsCommit, IsAtomicAndCountsVersions) {
    Fixture f;
    f.commit({put("a.b", "1"), put("a.c", "2")});
    EXPECT_EQ(f.get("a.b") + f.get("a.c"), "12");
    EXPECT_EQ((*f.kvs.find("primary", owner))->rootseq, 1);
    const auto refused = f.kvs.commit("primary", {put("x", "1"), put(".", "2")}, owner);
    EXPECT_EQ(refused.error().errnum(), EINVAL);
    EXPECT_EQ(f.get("x"), "No such file or directory");
}

TEST(KvsCommit, LeavesOldRootsReadable) {
    Fixture f;
    f.commit({put("a", "old"), put("d.b", "1")});
    const std::string root = (*f.kvs.find("primary", owner))->rootref;
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
    EXPECT_EQ(f.get("a.b"), "Not a directory");
}

TEST(KvsCommit, AppendsAsFurtherBlobs) {
    Fixture f;
    f.commit({put("log", "one,", kvs_flag::append)});
    f.commit({put("log", "two", kvs_flag::append)});
    EXPECT_EQ(f.get("log"), "one,two");
    const auto stored = f.kvs.lookup({.key = "log", .flags = kvs_flag::treeobj}, owner);
    EXPECT_EQ(stored->refs.size(), 2u);
    f.commit({put("d.x", "1")});
    EXPECT_EQ(f.kvs.commit("primary", {put("d", "x", kvs_flag::append)}, owner).error().errnum(),
              EISDIR);
}

TEST(KvsCommit, KeepsLargeValuesAsBlobs) {
    Fixture f;
    const std::string large(1000, 'x');
    f.commit({put("a", large)});
    EXPECT_EQ(f.get("a"), large);
    EXPECT_EQ(f.kvs.lookup({.key = "a", .flags = kvs_flag::treeobj}, owner)->kind,
              TreeObject::Kind::valref);
}

TEST(KvsLookup, FollowsLinksAlsoIntoNamespaces) {
    Fixture f;
    ASSERT_TRUE(
        f.kvs.create("other", {.owner = owner.userid, .rootref = f.kvs.tree().empty_root()}));
    f.commit({put("there", "far")}, "other");
    f.commit({put("d.v", "near"), link_op("l", "d"), link_op("far", "there", "other"),
              link_op("loop", "loop"), link_op("gone", "nothing")});
    EXPECT_EQ(f.get("l.v"), "near");
    EXPECT_EQ(f.get("far"), "far");
    EXPECT_EQ(f.get("loop"), "Too many levels of symbolic links");
    EXPECT_EQ(f.get("gone"), "No such file or directory");
    EXPECT_EQ(f.kvs.lookup({.key = "l", .flags = kvs_flag::readlink}, owner)->target, "d");
    EXPECT_EQ(f.kvs.lookup({.key = "d", .flags = kvs_flag::readlink}, owner).error().errnum(),
              EINVAL);
    f.commit({put("l.w", "through")});
    EXPECT_EQ(f.get("d.w"), "through");
}

TEST(KvsLookup, DirectoriesOnlyWithReaddir) {
    Fixture f;
    f.commit({put("d.v", "1")});
    EXPECT_EQ(f.kvs.lookup({.key = "d", .flags = kvs_flag::readdir}, owner)->entries.size(), 1u);
    EXPECT_EQ(f.get("d.v", kvs_flag::readdir), "Not a directory");
    EXPECT_EQ(f.kvs.lookup({.key = ".", .flags = kvs_flag::treeobj}, owner)->kind,
              TreeObject::Kind::dirref);
}

TEST(KvsNamespaces, BelongToTheirUsers) {
    Fixture f;
    ASSERT_TRUE(f.kvs.create("g", {.owner = guest.userid, .rootref = f.kvs.tree().empty_root()}));
    EXPECT_EQ(f.kvs.create("g", {}).error().errnum(), EEXIST);
    EXPECT_TRUE(f.kvs.commit("g", {put("a", "1")}, guest));
    EXPECT_EQ(f.kvs.commit("g", {link_op("l", "a")}, guest).error().errnum(), EPERM);
    EXPECT_EQ(f.kvs.commit("primary", {put("a", "1")}, guest).error().errnum(), EPERM);
    EXPECT_EQ(f.kvs.lookup({.key = "a"}, guest).error().errnum(), EPERM);
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
    EXPECT_THAT(values(watcher.start(f.kvs, owner)), ElementsAre("1"));
    f.commit({put("other", "x")});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"other"})), ElementsAre());
    f.commit({put("k", "1")});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"k"})), ElementsAre("1"));
    f.commit({unlink_op("k")});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"k"})),
                ElementsAre("No such file or directory"));
}

TEST(KvsWatcher, UniqLeavesOutEqualValues) {
    Fixture f;
    f.commit({put("k", "1")});
    KvsWatcher watcher{"primary", "k", kvs_flag::watch | kvs_flag::watch_uniq};
    EXPECT_THAT(values(watcher.start(f.kvs, owner)), ElementsAre("1"));
    f.commit({put("k", "1")});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"k"})), ElementsAre());
    f.commit({put("k", "2")});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"k"})), ElementsAre("2"));
}

TEST(KvsWatcher, AppendSendsOnlyWhatIsNewAndEndsWhenOverwritten) {
    Fixture f;
    f.commit({put("k", "a", kvs_flag::append)});
    KvsWatcher watcher{"primary", "k", kvs_flag::watch | kvs_flag::watch_append};
    EXPECT_THAT(values(watcher.start(f.kvs, owner)), ElementsAre("a"));
    f.commit({put("k", "b", kvs_flag::append), put("k", "c", kvs_flag::append)});
    EXPECT_THAT(values(watcher.update(f.kvs, owner, {"k"})), ElementsAre("b", "c"));
    f.commit({put("k", "z")});
    const auto step = watcher.update(f.kvs, owner, {"k"});
    ASSERT_TRUE(step.end);
    EXPECT_EQ(step.end->errnum(), EINVAL);
}

TEST(KvsWatcher, WaitcreateSendsOneValueOnceItIsThere) {
    Fixture f;
    KvsWatcher watcher{"primary", "late.x", kvs_flag::waitcreate};
    EXPECT_THAT(values(watcher.start(f.kvs, owner)), ElementsAre());
    f.commit({put("late.x", "1")});
    const auto step = watcher.update(f.kvs, owner, {"late.x"});
    EXPECT_THAT(values(step), ElementsAre("1", Error{ENODATA}.text()));
    KvsWatcher missing{"primary", "none", kvs_flag::watch};
    EXPECT_THAT(values(missing.start(f.kvs, owner)), ElementsAre("No such file or directory"));
}

}  // namespace
}  // namespace sluice
