#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Base64, HasTheVectorsOfRfc4648) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", ""},           {"f", "Zg=="},         {"fo", "Zm8="},         {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"},
    };
    for (const auto& [bytes, text] : rows) {
        EXPECT_EQ(base64_encode(bytes), text);
        const auto decoded = base64_decode(text);
        ASSERT_TRUE(decoded);
        EXPECT_EQ(*decoded, bytes);
    }
}

TEST(Base64, RoundTripsEveryByte) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    const auto decoded = base64_decode(base64_encode(bytes));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, bytes);
}

TEST(Base64, RefusesBadLengthAndCharacters) {
    for (const std::string_view text :
         {"Z", "Zg=", "Zg", "Z===", "====", "Zm9-", "Zm 9", "Zg==Zg=="})
        EXPECT_FALSE(base64_decode(text)) << text;
}

}  // namespace
}  // namespace sluice
