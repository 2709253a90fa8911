#include "base/toml.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::string error_of(std::string_view text) {
    const auto parsed = parse_toml(text, "f.toml");
    return parsed ? "parsed" : parsed.error().text();
}

TEST(Toml, NamesTheLine) {
    EXPECT_EQ(error_of("["),
              "f.toml:1:2: Error while parsing table header: encountered end-of-file");
    EXPECT_EQ(error_of("[\n"), "f.toml:1:1: found a table without a key; want [NAME] or [[NAME]]");
    EXPECT_EQ(error_of("a = 1\n[b]\nc = 2\n [[=]]\nd = 1\n"),
              "f.toml:4:2: found a table without a key; want [NAME] or [[NAME]]");
    EXPECT_EQ(error_of("a = '''\n[\n'''\n[=]"),
              "f.toml:4:1: found a table without a key; want [NAME] or [[NAME]]");
    EXPECT_EQ(error_of("a = 1\nb\n").substr(0, 11), "f.toml:2:2:");
    EXPECT_EQ(error_of("a = 1\na = 2\n").substr(0, 9), "f.toml:2:");
    EXPECT_EQ(error_of("\xff").substr(0, 11), "f.toml:1:1:");
    EXPECT_EQ(error_of("a = 1\nb\u00e9 = 2\n").substr(0, 11), "f.toml:2:2:");
}

TEST(Toml, KeepsTheOrderOfTheDocument) {
    EXPECT_EQ(dump_json(Json(*parse_toml("z = 1\na = \"x\"\n[t]\nk = [1, 2.0, true]\n", "f"))),
              R"({"z":1,"a":"x","t":{"k":[1,2.0,true]}})");
    EXPECT_TRUE(parse_toml("", "f")->empty());
}

}  // namespace
}  // namespace sluice
