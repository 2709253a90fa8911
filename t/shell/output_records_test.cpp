#include "shell/output_records.hpp"

#include <gtest/gtest.h>

using namespace std::string_literals;

namespace sluice::shell {
namespace {

TEST(ReadableText, ShowsWhatIsNoTextAsNumbers) {
    EXPECT_EQ(readable_text("plain\t text: \xc3\xa4\n"), "plain\t text: \xc3\xa4\n");
    EXPECT_EQ(readable_text(std::string_view{"a\0b\x1b[2J", 7}), "a\\x00b\\x1b[2J");
    EXPECT_EQ(readable_text("\xff\xc3"), "\\xff\\xc3");
    EXPECT_TRUE(is_utf8_text(readable_text("\xed\xa0\x80 \xf4\x90\x80\x80")));
}

TEST(DataRecord, IsTextOrBase64) {
    EXPECT_EQ(encode_event(data_record(1.5, "stdout", "1", "x\n")),
              R"({"timestamp":1.5,"name":"data","context":)"
              R"({"stream":"stdout","rank":"1","data":"x\n"}})"
              "\n");
    EXPECT_EQ(dump_json(data_record(1, "stdout", "1", "\xff").context),
              R"({"stream":"stdout","rank":"1","encoding":"base64","data":"/w=="})");
    EXPECT_EQ(dump_json(data_record(1, "stdout", "1", "a\0"s).context),
              R"({"stream":"stdout","rank":"1","encoding":"base64","data":"YQA="})");
}

TEST(DecodeIo, ReadsWhatClientsSend) {
    const auto io = decode_io({{"stream", "stdin"}, {"rank", "all"}, {"eof", true}});
    ASSERT_TRUE(io);
    EXPECT_EQ(*io, (IoData{"all", "", true}));
    const auto binary =
        decode_io({{"stream", "stdin"}, {"rank", "0"}, {"data", "/w=="}, {"encoding", "base64"}});
    ASSERT_TRUE(binary);
    EXPECT_EQ(binary->data, "\xff");
    EXPECT_FALSE(decode_io({{"rank", "0"}}));
    EXPECT_FALSE(
        decode_io({{"stream", "stdin"}, {"rank", "0"}, {"data", "x"}, {"encoding", "rot13"}}));
}

TEST(IsUtf8Text, AcceptsTextOnly) {
    for (const auto& text : {""s, "abc"s, "ünï ✓ 漢"s, "\xF4\x8F\xBF\xBF"s})
        EXPECT_TRUE(is_utf8_text(text)) << text;
    for (const auto& text : {"a\0b"s, "\xff"s, "\xC3"s, "\xC0\xAF"s, "\xE0\x80\x80"s,
                             "\xED\xA0\x80"s, "\xF4\x90\x80\x80"s, "\x80"s})
        EXPECT_FALSE(is_utf8_text(text)) << text;
}

TEST(OutputRecords, LinesAreTakenOneByOne) {
    std::string_view data = "a\n\nlast";
    EXPECT_EQ(take_line(data), "a\n");
    EXPECT_EQ(take_line(data), "\n");
    EXPECT_EQ(take_line(data), "last");
    EXPECT_TRUE(data.empty());
}

TEST(OutputCutter, HoldsPartialLinesBack) {
    OutputCutter cutter{true};
    EXPECT_EQ(cutter.append("a\nb"), "a\n");
    EXPECT_EQ(cutter.append("c"), "");
    EXPECT_EQ(cutter.append("\nd\ne\n"), "bc\nd\ne\n");
    EXPECT_EQ(cutter.append("rest"), "");
    EXPECT_EQ(cutter.finish(), "rest");
    EXPECT_EQ(cutter.finish(), "");
}

TEST(OutputCutter, NeverCutsACharacter) {
    OutputCutter cutter{false};
    EXPECT_EQ(cutter.append("a\xE6\xBC"), "a");
    EXPECT_EQ(cutter.append("\xA2"), "\xE6\xBC\xA2");
    EXPECT_EQ(cutter.append("\xff\x80"), "\xff\x80");  // no text at all
    EXPECT_EQ(cutter.append("x\xC3"), "x");
    EXPECT_EQ(cutter.finish(), "\xC3");
}

TEST(OutputCutter, LetsAnEndlessLineGoInPieces) {
    OutputCutter cutter{true};
    const std::string piece(OutputCutter::line_bytes_max + 1, 'x');
    EXPECT_EQ(cutter.append(piece), piece);
    EXPECT_EQ(cutter.finish(), "");
}

}  // namespace
}  // namespace sluice::shell
