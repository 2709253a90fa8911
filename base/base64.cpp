#include "base/base64.hpp"

#include <array>
#include <cstdint>

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

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t group =
            byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
        for (int shift = 18; shift >= 0; shift -= 6) out += alphabet[group >> shift & 63];
    }
    const std::size_t padding = (3 - bytes.size() % 3) % 3;
    out.replace(out.size() - padding, padding, padding, '=');
    return out;
}

Result<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0)
        return fail(EINVAL, "base64: {} characters, not a multiple of 4", text.size());
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    text.remove_suffix(padding);
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::uint8_t digit = digit_of[static_cast<unsigned char>(c)];
        if (digit == no_digit) return fail(EINVAL, "base64: unexpected character '{}'", c);
        bits = bits << 6 | digit;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out += static_cast<char>(bits >> count & 0xFF);
    }
    return out;
}

}  // namespace sluice
