#include "base/rfc/file_object.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/file_tree.hpp"

namespace sluice {
namespace {

TEST(FileObject, HasTheShapeOfTheReference) {  // archive-create
    const std::string text =
        R"([{"path":"d/f","encoding":"utf-8","data":"x\n","size":2,"mtime":1796039615,)"
        R"("ctime":1796039615,"mode":33188},)"
        R"({"path":"d","mtime":1796039615,"ctime":1796039615,"mode":16877}])";
    const auto files = decode_archive(text);
    ASSERT_TRUE(files) << files.error().text();
    EXPECT_EQ((*files)[0].data, "x\n");
    EXPECT_TRUE((*files)[1].is_folder());
    EXPECT_EQ(dump_json(Json(
                  JsonArray{encode_file_object((*files)[0]), encode_file_object((*files)[1])})),
              text);
}

TEST(FileObject, OnlyFilesHaveContentAndASize) {  // found by fuzzing
    const auto folder = decode_archive(R"([{"path":"d","mode":16877,"size":7,"data":"x"}])");
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->at(0).size, 0u);
    EXPECT_EQ(folder->at(0).data, "");
    EXPECT_FALSE(decode_archive(
        R"([{"path":"l","mode":41471,"size":9,"encoding":"blobvec","data":[[0,0,"sha1-00"]]}])"));
}

TEST(FileObject, RefusesWhatLeavesTheFolderOrItsSize) {
    for (const char* bad :
         {R"({"path":"/etc/passwd","mode":33188})", R"({"path":"a/../../b","mode":33188})",
          R"({"path":"","mode":33188})", R"({"path":"a","mode":4480})", R"({"path":"a"})",
          R"({"path":"a","mode":33188,"size":4,"encoding":"blobvec","data":[[2,3,"sha1-00"]]})",
          R"({"path":"a","mode":33188,"encoding":"blobvec","data":[[0,-1,"sha1-00"]]})",
          R"({"path":"a","mode":33188,"encoding":"base64","data":"???"})",
          R"({"path":"a","mode":33188,"encoding":"rot13","data":"x"})", R"([])"})
        EXPECT_FALSE(decode_file_object(*parse_json(bad))) << bad;
}

class FileTree : public testing::Test {
  protected:
    FileTree() {
        std::string name = "/tmp/file_tree.XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~FileTree() override { std::filesystem::remove_all(folder_); }

    FileReading reading() {
        return {.blob_bytes_max = 4096,
                .small_bytes_max = 16,
                .store = [this](std::string bytes) -> Result<std::string> {
                    const std::string ref = "b" + std::to_string(blobs_.size());
                    blobs_[ref] = std::move(bytes);
                    return ref;
                }};
    }
    FileWriting writing(bool overwrite = false) {
        return {.overwrite = overwrite,
                .load = [this](const std::string& ref) -> Result<std::string> {
                    return blobs_.at(ref);
                }};
    }
    std::string content(const std::string& name) {
        std::ifstream file(folder_ + "/" + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string folder_;
    std::map<std::string, std::string> blobs_;
};

TEST_F(FileTree, LargeFilesTravelAsBlobsAndKeepTheirHoles) {
    const std::string path = folder_ + "/large";
    std::ofstream{path} << "begin";
    std::filesystem::resize_file(path, 1 << 20);
    std::ofstream{path, std::ios::in | std::ios::ate} << "end";
    ::chmod(path.c_str(), 0640);
    auto object = read_file_object(path, reading());
    ASSERT_TRUE(object) << object.error().text();
    std::uint64_t stored = 0;
    for (const auto& blob : object->blobs) stored += blob.size;
    EXPECT_EQ(object->size, (1u << 20) + 3);
    EXPECT_LT(stored, object->size);
    object->path = "copy/of/it";
    const auto decoded = decode_file_object(encode_file_object(*object));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, *object);
    ASSERT_TRUE(write_file_object(*decoded, folder_, writing()));
    EXPECT_TRUE(content("copy/of/it") == content("large"));
    struct stat status {};
    ::stat((folder_ + "/copy/of/it").c_str(), &status);
    EXPECT_EQ(status.st_mode & 07777, 0640u);
    EXPECT_EQ(status.st_mtime, *object->mtime);
}

TEST_F(FileTree, WritesOverAFileOnlyWhenTold) {
    FileObject object{.path = "f", .mode = S_IFREG | 0600, .size = 1, .data = "a"};
    ASSERT_TRUE(write_file_object(object, folder_, writing()));
    EXPECT_EQ(write_file_object(object, folder_, writing()).error().errnum(), EEXIST);
    object.data = "b";
    ASSERT_TRUE(write_file_object(object, folder_, writing(true)));
    EXPECT_EQ(content("f"), "b");
}

TEST_F(FileTree, KeepsLinksAndRefusesOtherKinds) {
    ::symlink("nowhere", (folder_ + "/link").c_str());
    const auto link = read_file_object(folder_ + "/link", reading());
    ASSERT_TRUE(link);
    EXPECT_EQ(link->data, "nowhere");
    ::mkfifo((folder_ + "/fifo").c_str(), 0600);
    EXPECT_EQ(read_file_object(folder_ + "/fifo", reading()).error().errnum(), EINVAL);
    EXPECT_EQ(read_file_object(folder_ + "/missing", reading()).error().errnum(), ENOENT);
}

}  // namespace
}  // namespace sluice
