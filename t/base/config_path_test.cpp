#include "base/config_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace sluice {
namespace {

class ConfigPath : public testing::Test {
  protected:
    ConfigPath() {
        std::string name = "/tmp/config_path.XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~ConfigPath() override { std::filesystem::remove_all(folder_); }
    std::string file(const std::string& name, std::string_view text) {
        std::ofstream{folder_ + "/" + name} << text;
        return folder_ + "/" + name;
    }
    std::string folder_;
};

TEST_F(ConfigPath, MergesTheFilesOfAFolderInTheOrderOfTheirNames) {
    file("b.toml", "[t]\nx = 2\ny = 2\n");
    file("a.toml", "top = 1\n[t]\nx = 1\nz = [1]\n");
    file("c.txt", "not = read");
    EXPECT_EQ(dump_json(*load_config_path(folder_)), R"({"top":1,"t":{"x":2,"z":[1],"y":2}})");
    EXPECT_EQ(dump_json(*load_config_path(file("d.json", R"({"a":{"b":1}})"))), R"({"a":{"b":1}})");
}

TEST_F(ConfigPath, NamesWhatCannotBeRead) {
    EXPECT_EQ(read_text_file(folder_ + "/no").error().text(),
              folder_ + "/no: No such file or directory");
    EXPECT_EQ(read_text_file(folder_).error().text(), folder_ + ": Is a directory");
    EXPECT_EQ(*read_text_file(file("empty", "")), "");
    EXPECT_EQ(load_config_path(file("bad.toml", "a = 1\n[")).error().text(),
              folder_ + "/bad.toml:2:2: Error while parsing table header: encountered end-of-file");
    EXPECT_TRUE(load_config_path(file("bad.json", "{")).error().text().starts_with(
        folder_ + "/bad.json: "));
}

TEST(MergeTables, ReplacesWhatIsNoTableOnBothSides) {
    JsonObject to = *parse_json_object(R"({"a":{"b":1},"c":{"d":1},"e":[1]})");
    merge_tables(to, *parse_json_object(R"({"a":{"f":2},"c":3,"e":[2,3]})"));
    EXPECT_EQ(dump_json(to), R"({"a":{"b":1,"f":2},"c":3,"e":[2,3]})");
}

}  // namespace
}  // namespace sluice
