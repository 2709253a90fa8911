#include "imp/input.hpp"

#include <gtest/gtest.h>

namespace sluice::imp {
namespace {

TEST(ImpInput, FindsJ) {
    EXPECT_EQ(read_input(R"({"J": "a.b.c"})").value_or(""), "a.b.c");
    EXPECT_EQ(read_input(R"( {"x":[1,{"y":null}],"J":"a\/b.c.MUNGE:x:","z":-1.5e3} )").value_or(""),
              "a/b.c.MUNGE:x:");
}

TEST(ImpInput, RefusesWhatIsNoObjectWithOneJ) {
    for (const char* text : {"", "{", "[]", "{}", R"({"J":5})", R"({"J":"a"} x)", R"({"J":"a")",
                             R"({"J":"a","J":"b"})", R"({"J":"a b"})", R"({"J":"a\u0041"})",
                             R"({"J":"a)", R"({"x":,"J":"a"})", R"({"x" 1,"J":"a"})"})
        EXPECT_FALSE(read_input(text)) << text;
    const std::string deep = "{\"x\":" + std::string(100000, '[');
    EXPECT_FALSE(read_input(deep));
}

TEST(ImpInput, FieldsComeBackAsTheyWere) {
    const std::vector<std::string> fields{"", "a", std::string("b\0c", 3)};
    EXPECT_EQ(unpack(pack(fields)).value_or(std::vector<std::string>{}), fields);
    EXPECT_FALSE(unpack("0000000"));
    EXPECT_FALSE(unpack("00000002a"));
    EXPECT_FALSE(unpack("ffffffffa"));
    EXPECT_FALSE(unpack(std::string(8 * (fields_max + 1), '0')));
    EXPECT_TRUE(unpack(std::string(8 * fields_max, '0')));
}

TEST(ImpInput, PassesConfiguredVariablesOnly) {
    EXPECT_TRUE(may_pass("FLUX_JOB_ID=1", {}));
    EXPECT_FALSE(may_pass("FLUX_URI=x", {}));
    EXPECT_TRUE(may_pass("FLUX_URI=x", {"FLUX_*"}));
    for (const char* entry :
         {"LD_PRELOAD=x", "BASH_ENV=x", "ENV=x", "IFS=x", "PATH=x", "x y=1", "1A=1", "=x", "A",
          "A=() { :; }", "BASH_FUNC_ls%%=() { :; }", "PYTHONPATH=x", "GLIBC_TUNABLES=x",
          "FLUX_OWNER_USERID=0"})
        EXPECT_FALSE(may_pass(entry, {"*"})) << entry;
    EXPECT_FALSE(may_pass("A=" + std::string(1 << 18, 'x'), {"*"}));
}

TEST(ImpInput, ShowsNoControlCharacters) {
    EXPECT_EQ(printable("a\nb\x1b[0m\x7f"), "a?b?[0m?");
}

}  // namespace
}  // namespace sluice::imp
