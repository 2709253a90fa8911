#include "base/rfc/message.hpp"

#include <gtest/gtest.h>

using namespace std::string_literals;

namespace sluice {
namespace {

Message sample_request() {
    Message message = Message::request("attr.get");
    message.aux2 = 1;
    message.set_json({{"name", "rank"}});
    return message;
}

TEST(MessageFrame, HasTheBytesOfTheSpecsExample) {
    const std::string expected =
        "\x12\x00\xEE\xFF\x00\x00\x00\x30"s + "\x00"s + "\x08"s + "attr.get" +
        "\x10" + R"({"name":"rank"})" + "\x00"s +
        "\x14\x8E\x01\x01\x0B\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x00\x00\x01"s;
    EXPECT_EQ(encode_frame(sample_request()), expected);
}

TEST(MessageFrame, RoundTripsRoutesTopicAndPayload) {
    Message message = sample_request();
    message.routes = {"client", "broker"};
    message.set_bytes(std::string(70000, 'x'));
    const std::string bytes = encode_frame(message);
    const auto frame = next_frame(bytes);
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->bytes_used, bytes.size());
    const auto decoded = decode_body((*frame)->body);
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->routes, message.routes);
    EXPECT_EQ(decoded->topic, "attr.get");
    EXPECT_EQ(decoded->bytes(), message.bytes());
    EXPECT_EQ(decoded->matchtag(), 1u);
}

TEST(MessageFrame, WaitsForTheRestWhenCut) {
    const std::string bytes = encode_frame(sample_request());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto frame = next_frame(std::string_view{bytes}.substr(0, size));
        ASSERT_TRUE(frame);
        EXPECT_FALSE(*frame);
    }
}

TEST(MessageFrame, RefusesAnotherProtocol) {
    const auto frame = next_frame("GET / HTTP/1.1\r\n");
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().errnum(), EPROTO);
}

TEST(MessageBody, RefusesEveryTruncation) {
    const std::string bytes = encode_frame(sample_request());
    const std::string_view body = std::string_view{bytes}.substr(frame_header_bytes);
    for (std::size_t size = 0; size < body.size(); ++size)
        EXPECT_FALSE(decode_body(body.substr(0, size))) << size;
}

TEST(MessageBody, ForgivesOneNulBehindATopicButNoneInside) {
    Message message = sample_request();
    message.topic = "attr.get\0"s;
    std::string bytes = encode_frame(message);
    const auto forgiven = decode_body(std::string_view{bytes}.substr(frame_header_bytes));
    ASSERT_TRUE(forgiven);
    EXPECT_EQ(forgiven->topic, "attr.get");
    message.topic = "attr\0.get"s;
    bytes = encode_frame(message);
    EXPECT_FALSE(decode_body(std::string_view{bytes}.substr(frame_header_bytes)));
}

TEST(MessageBody, KeepsATopicThatIsEmpty) {
    Message message = sample_request();
    message.topic.clear();
    message.flags |= message_flag::topic;
    const std::string bytes = encode_frame(message);
    const auto decoded = decode_body(std::string_view{bytes}.substr(frame_header_bytes));
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(decoded->has(message_flag::topic));
    EXPECT_EQ(encode_frame(Message::response(*decoded))[9], '\0');  // the part is there
}

TEST(MessageResponse, KeepsTagRoutesAndFlagsWithoutPayload) {
    Message request = sample_request();
    request.flags |= message_flag::streaming;
    request.routes = {"a"};
    const Message response = Message::response(request, ENOENT);
    EXPECT_EQ(response.errnum(), static_cast<unsigned>(ENOENT));
    EXPECT_EQ(response.matchtag(), 1u);
    EXPECT_TRUE(response.has(message_flag::streaming));
    EXPECT_EQ(response.routes, request.routes);
    EXPECT_FALSE(response.payload);
}

}  // namespace
}  // namespace sluice
