#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace sluice {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> digits{};
    for (auto& digit : digits) digit = no_digit;
    for (std::uint8_t i = 0; i < alphabet.size(); ++i)
        digits[static_cast<unsigned char>(alphabet[i])] = i;
    return digits;
}
constexpr auto digit_of = make_digits();

/// The two characters of each 12 bits.
constexpr std::array<std::array<char, 2>, 4096> make_pairs() {
    std::array<std::array<char, 2>, 4096> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {alphabet[i >> 6], alphabet[i & 63]};
    return pairs;
}
constexpr auto pair_of = make_pairs();

std::uint32_t octet(char c) { return static_cast<unsigned char>(c); }
std::uint8_t digit(char c) { return digit_of[static_cast<unsigned char>(c)]; }

Error unexpected(std::string_view text) {
    const auto wrong = [](char c) { return digit(c) == no_digit; };
    return fail(EINVAL, "base64: unexpected character '{}'", *std::ranges::find_if(text, wrong));
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
    std::string out((bytes.size() + 2) / 3 * 4, '=');
    const char* in = bytes.data();
    char* to = out.data();
    std::size_t left = bytes.size();
    for (; left >= 3; left -= 3, in += 3, to += 4) {
        const std::uint32_t group = octet(in[0]) << 16 | octet(in[1]) << 8 | octet(in[2]);
        std::memcpy(to, pair_of[group >> 12].data(), 2);
        std::memcpy(to + 2, pair_of[group & 4095].data(), 2);
    }
    if (left > 0) {
        const std::uint32_t group = octet(in[0]) << 16 | (left == 2 ? octet(in[1]) << 8 : 0);
        for (std::size_t i = 0; i <= left; ++i) to[i] = alphabet[group >> (18 - 6 * i) & 63];
    }
    return out;
}

Result<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0)
        return fail(EINVAL, "base64: {} characters, not a multiple of 4", text.size());
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string out(text.size() * 3 / 4, '\0');
    char* to = out.data();
    std::uint8_t seen = 0;  // all digits or-ed: over 63 when one of them is none
    std::size_t i = 0;
    for (; i + 4 <= text.size(); i += 4) {
        const std::uint8_t a = digit(text[i]), b = digit(text[i + 1]), c = digit(text[i + 2]),
                           d = digit(text[i + 3]);
        seen |= a | b | c | d;
        *to++ = static_cast<char>(a << 2 | b >> 4);
        *to++ = static_cast<char>(b << 4 | c >> 2);
        *to++ = static_cast<char>(c << 6 | d);
    }
    for (std::uint8_t before = 0; i < text.size(); ++i) {
        const std::uint8_t now = digit(text[i]);
        seen |= now;
        const std::size_t place = i % 4;
        if (place == 1) *to++ = static_cast<char>(before << 2 | now >> 4);
        if (place == 2) *to++ = static_cast<char>(before << 4 | now >> 2);
        before = now;
    }
    if (seen >= no_digit) return unexpected(text);
    return out;
}

}  // namespace sluice
