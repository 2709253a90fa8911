#include "base/rfc/treeobj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/blobref.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;

TEST(TreeObject, RoundTripsEachKind) {
    TreeObject dir = TreeObject::make_dir();
    dir.entries["a"] = TreeObject::make_val("42");
    dir.entries["link"] = {
        .kind = TreeObject::Kind::symlink, .target = "a.b", .target_namespace = "ns"};
    const std::string one = "sha1-" + std::string(40, '1'), two = "sha1-" + std::string(40, '2');
    for (const TreeObject& object :
         {TreeObject::make_val(""), TreeObject::make_valref({one, two}), dir,
          TreeObject::make_dirref(two)}) {
        const JsonObject json = encode_treeobj(object);
        const auto decoded = decode_treeobj(json);
        ASSERT_TRUE(decoded) << decoded.error().text();
        EXPECT_EQ(*decoded, object);
    }
}

TEST(TreeObject, RefusesBadObjects) {
    for (const char* text :
         {"{}", R"({"ver":2,"type":"val","data":""})", R"({"ver":1,"type":"file","data":""})",
          R"({"ver":1,"type":"val","data":"*"})", R"({"ver":1,"type":"val","data":[]})",
          R"({"ver":1,"type":"valref","data":[]})", R"({"ver":1,"type":"dirref","data":["a","b"]})",
          R"({"ver":1,"type":"dir","data":{"a":1}})", R"({"ver":1,"type":"symlink","data":{}})"}) {
        const JsonObject json = *parse_json_object(text);
        EXPECT_EQ(decode_treeobj(json).error().errnum(), EPROTO) << text;
    }
}

TEST(TreeObject, EmptyDirectoryHasTheFieldsBlobref) {
    const auto hash = hash_blob("sha1", dir_blob(TreeObject::make_dir()));
    ASSERT_TRUE(hash);
    EXPECT_EQ(blobref_of("sha1", *hash), "sha1-c0a9faf907dda6216fd73bf81d0b3b21a1a8cb91");
}

TEST(SplitKey, IgnoresEmptyParts) {
    EXPECT_THAT(split_key("a.b.c"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(split_key(".a..b."), ElementsAre("a", "b"));
    EXPECT_TRUE(split_key(".").empty());
}

TEST(Blobref, ParsesWhatItMakesAndRefusesTheRest) {
    const std::string hash = *hash_blob("sha256", "x");
    EXPECT_EQ(*parse_blobref(blobref_of("sha256", hash)), hash);
    for (const char* text : {"", "sha1", "sha1-", "sha1-00", "md5-00000000000000000000000000000000",
                             "sha1-c0a9faf907dda6216fd73bf81d0b3b21a1a8cbXX"})
        EXPECT_EQ(parse_blobref(text).error().errnum(), EINVAL) << text;
    EXPECT_EQ(hash_blob("md5", "x").error().errnum(), EINVAL);
}

}  // namespace
}  // namespace sluice
