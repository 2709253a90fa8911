#include "base/json.hpp"
#include "base/json_arena.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <random>

namespace sluice {
namespace {

using testing::HasSubstr;

TEST(JsonText, KeepsIntegersAndRealsApart) {
    for (const std::string_view text :
         {"0", "0.0", "-1", "1.5", "300.0", "1e+22", "18446744073709551615", "null", "true",
          R"({"b":1,"a":[1,2.0,"x"]})"}) {
        const auto value = parse_json(text);
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(dump_json(*value), text);
    }
    EXPECT_EQ(dump_real(300), "300.0");
    EXPECT_EQ(dump_real(0.1), "0.1");
    EXPECT_EQ(dump_real(1e22), "1e+22");
    EXPECT_EQ(dump_real(2e9), "2000000000.0");
    EXPECT_EQ(dump_real(1e-7), "1e-07");
    EXPECT_EQ(dump_real(std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonText, ReadsRealsExactly) {
    for (const double real :
         {1552593348.073045, 1764512345.1234567, 0.1, 5e-324, 1.7976931348623157e308,
          9007199254740993.5, 1.7777776666666667e49, 123456789.12345679})
        EXPECT_EQ(parse_json(dump_real(real))->as_double(), real);
    EXPECT_EQ(parse_json("1777777666666666666666666666666666.0")->as_double(),
              1777777666666666666666666666666666.0);
    EXPECT_FALSE(parse_json("1e999"));
}

TEST(JsonText, EscapesOnlyWhatItMust) {
    EXPECT_EQ(dump_json(Json("a\"\\\n\x01\xC6\x92/")), "\"a\\\"\\\\\\n\\u0001\xC6\x92/\"");
}

TEST(JsonText, LaysOutAsAskedFor) {
    const Json value = *parse_json(R"({"a":[1,2],"b":{}})");
    EXPECT_EQ(dump_json_spaced(value), R"({"a": [1, 2], "b": {}})");
    EXPECT_EQ(dump_json_pretty(value, 1), "{\n \"a\": [\n  1,\n  2\n ],\n \"b\": {}\n}");
}

TEST(JsonText, RefusesExtraTextDepthAndOtherTypes) {
    EXPECT_THAT(parse_json("1 2").error().text(), HasSubstr("extra text"));
    EXPECT_THAT(parse_json("{} x").error().text(), HasSubstr("extra text"));
    EXPECT_TRUE(parse_json(" 1 \n"));
    EXPECT_TRUE(parse_json("{} \n"));
    EXPECT_FALSE(parse_json(""));
    EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
    EXPECT_TRUE(parse_json(std::string(30, '[') + std::string(30, ']')));
    EXPECT_THAT(parse_json_object("[]").error().text(), HasSubstr("found array"));
}

TEST(Json, WritesTimesAsTheShortestDigitsToo) {
    std::mt19937_64 random{1};
    std::uniform_real_distribution<double> times{9e5, 5e9};
    for (int i = 0; i < 100000; ++i) {
        double time = times(random);
        const double unit = i % 3 == 0 ? 1e6 : i % 3 == 1 ? 1e3 : 1e9;
        time = std::round(time * unit) / unit;
        char buffer[40];
        const auto end =
            std::to_chars(buffer, std::end(buffer), time, std::chars_format::fixed).ptr;
        std::string shortest(buffer, end);
        if (shortest.find('.') == shortest.npos) shortest += ".0";
        ASSERT_EQ(dump_real(time), shortest);
    }
}

TEST(JsonReader, RemembersTheFirstFault) {
    const JsonObject object = *parse_json_object(R"({"i":1,"r":2.0,"s":"x","n":null,"b":true})");
    JsonReader in{object};
    EXPECT_EQ(in.integer("i"), 1);
    EXPECT_EQ(in.number("i"), 1.0);
    EXPECT_EQ(in.number("r"), 2.0);
    EXPECT_EQ(in.string("s"), "x");
    EXPECT_TRUE(in.boolean("b"));
    EXPECT_EQ(in.integer_or("n", 5), 5);
    EXPECT_EQ(in.maybe_string("nosuch"), std::nullopt);
    EXPECT_TRUE(in);
    EXPECT_EQ(in.integer("r"), 0);  // a real is not an integer
    EXPECT_EQ(in.string("nosuch"), "");
    ASSERT_FALSE(in);
    EXPECT_EQ(in.error().errnum(), EPROTO);
    EXPECT_EQ(in.error().text(), "r: expected integer, found real");
}

TEST(JsonPath, FindsAndSetsDottedMembers) {
    JsonObject root;
    set_path(root, "a.b.c", 1);
    set_path(root, "a.d", "x");
    EXPECT_EQ(dump_json(root), R"({"a":{"b":{"c":1},"d":"x"}})");
    EXPECT_EQ(*find_path(root, "a.b.c"), 1);
    EXPECT_FALSE(find_path(root, "a.b.x"));
    EXPECT_FALSE(find_path(root, "a.d.x"));
}

TEST(JsonArena, ReadsAsTheOtherParserDoes) {
    JsonArena arena;
    for (const char* text : {R"({"a":[1,1.5,"x",null,{"b":true}],"t":1796076578.361999})", "{}"})
        EXPECT_EQ(*parse_json_object(text, arena), *parse_json_object(text)) << text;
    for (const char* text : {"", "[]", "{", R"({"a":1}x)"})
        EXPECT_EQ(parse_json_object(text, arena).error().text(),
                  parse_json_object(text).error().text())
            << text;
}

}  // namespace
}  // namespace sluice
