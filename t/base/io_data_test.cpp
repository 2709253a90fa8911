#include "base/rfc/io_data.hpp"

#include <gtest/gtest.h>

using namespace std::string_literals;

namespace sluice {
namespace {

TEST(IoData, TextStaysTextAndBytesBecomeBase64) {
    EXPECT_EQ(dump_json(encode_io({.stream = "stdout", .rank = "0", .data = "node0\n"})),
              R"({"stream":"stdout","rank":"0","data":"node0\n"})");
    EXPECT_EQ(dump_json(encode_io({.stream = "stdout", .rank = "1", .data = "\xff"})),
              R"({"stream":"stdout","rank":"1","encoding":"base64","data":"/w=="})");
    EXPECT_EQ(dump_json(encode_io({.stream = "stderr", .rank = "0", .eof = true})),
              R"({"stream":"stderr","rank":"0","eof":true})");
}

TEST(IoData, DecodesWhatItEncodes) {
    for (const std::string& data : {"text"s, "\0\x80\xff"s, "\xc6\x92"s, ""s}) {
        const IoData io{.stream = "stdin", .rank = "all", .data = data, .eof = data.empty()};
        const JsonObject object = encode_io(io);
        const auto decoded = decode_io(object);
        ASSERT_TRUE(decoded) << decoded.error().text();
        EXPECT_EQ(*decoded, io);
    }
}

TEST(IoData, NothingYetIsDataToo) {  // found by fuzzing
    const IoData nothing{.stream = "stdout", .rank = "0", .data = "", .eof = false};
    EXPECT_EQ(*decode_io(encode_io(nothing)), nothing);
}

TEST(IoData, RefusesObjectsWithoutDataOrWithABadEncoding) {
    for (const char* text : {R"({"stream":"stdin","rank":"0"})", R"({"rank":"0","eof":true})",
                             R"({"stream":"stdin","rank":"0","data":"x","encoding":"rot13"})",
                             R"({"stream":"stdin","rank":"0","data":"*","encoding":"base64"})"}) {
        const JsonObject object = *parse_json_object(text);
        EXPECT_EQ(decode_io(object).error().errnum(), EPROTO) << text;
    }
}

TEST(IsUtf8, KnowsOverlongFormsSurrogatesAndCuts) {
    for (const char* good :
         {"", "a", "\xc2\x80", "\xe0\xa0\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_TRUE(is_utf8(good)) << good;
    for (const char* bad :
         {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc2", "\xe2\x82"})
        EXPECT_FALSE(is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace sluice
