#include "base/crypto.hpp"

#include <sodium.h>

#include <array>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::size_t key_bytes = 32, key_characters = 40;
constexpr std::string_view z85_alphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
using Key = std::array<unsigned char, key_bytes>;

/// Z85 (ZeroMQ RFC 32): four bytes, big-endian, become five digits of base 85.
std::string z85_encode(const Key& key) {
    std::string text;
    for (std::size_t i = 0; i < key.size(); i += 4) {
        std::uint32_t value = 0;
        for (std::size_t j = 0; j < 4; ++j) value = value << 8 | key[i + j];
        std::array<char, 5> digits;
        for (std::size_t j = 5; j-- > 0; value /= 85) digits[j] = z85_alphabet[value % 85];
        text.append(digits.begin(), digits.end());
    }
    return text;
}

Key z85_decode(std::string_view text) {
    Key key{};
    for (std::size_t i = 0; i < key_bytes / 4; ++i) {
        std::uint32_t value = 0;
        for (const char c : text.substr(i * 5, 5))
            value = value * 85 + static_cast<std::uint32_t>(z85_alphabet.find(c));
        for (std::size_t j = 4; j-- > 0; value >>= 8)
            key[i * 4 + j] = static_cast<unsigned char>(value);
    }
    return key;
}

}  // namespace

CurveKeys generate_curve_keys() {
    Key secret{}, derived{};
    ::randombytes_buf(secret.data(), secret.size());
    ::crypto_scalarmult_base(derived.data(), secret.data());
    return {z85_encode(derived), z85_encode(secret)};
}

bool curve_keys_match(const CurveKeys& keys) {
    Key derived{};
    ::crypto_scalarmult_base(derived.data(), z85_decode(keys.secret_key).data());
    return z85_encode(derived) == keys.public_key;
}

bool is_z85_key(std::string_view text) {
    return text.size() == key_characters &&
           text.find_first_not_of(z85_alphabet) == std::string_view::npos;
}

}  // namespace sluice
