#include "base/blobref.hpp"

#include <sha1.h>
#include <sha2.h>

#include <array>
#include <cstdint>

namespace sluice {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::size_t digest_size(std::string_view algorithm) {
    if (algorithm == "sha1") return SHA1_DIGEST_LENGTH;
    return algorithm == "sha256" ? SHA256_DIGEST_LENGTH : 0;
}

std::string sha1(std::string_view blob) {
    std::array<unsigned char, SHA1_DIGEST_LENGTH> digest{};
    SHA1_CTX state;
    SHA1Init(&state);
    SHA1Update(&state, reinterpret_cast<const std::uint8_t*>(blob.data()), blob.size());
    SHA1Final(digest.data(), &state);
    return {digest.begin(), digest.end()};
}

std::string sha256(std::string_view blob) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA2_CTX state;
    SHA256Init(&state);
    SHA256Update(&state, reinterpret_cast<const std::uint8_t*>(blob.data()), blob.size());
    SHA256Final(digest.data(), &state);
    return {digest.begin(), digest.end()};
}

}  // namespace

Result<std::string> hash_blob(std::string_view algorithm, std::string_view blob) {
    if (algorithm == "sha1") return sha1(blob);
    if (algorithm == "sha256") return sha256(blob);
    return fail(EINVAL, "hash '{}' is not sha1 or sha256", algorithm);
}

std::string blobref_of(std::string_view algorithm, std::string_view hash) {
    std::string text = std::string{algorithm} + "-";
    for (const unsigned char byte : hash) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

Result<std::string> parse_blobref(std::string_view blobref) {
    const std::size_t dash = blobref.find('-');
    const std::size_t size = digest_size(blobref.substr(0, dash));
    const std::string_view hex = dash < blobref.size() ? blobref.substr(dash + 1) : "";
    const Error wrong =
        fail(EINVAL, "blobref '{}' is not sha1- or sha256- and its digits", blobref);
    if (size == 0 || hex.size() != 2 * size) return wrong;
    std::string hash;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const std::size_t high = digits.find(hex[i]), low = digits.find(hex[i + 1]);
        if (high == digits.npos || low == digits.npos) return wrong;
        hash += static_cast<char>(high * 16 + low);
    }
    return hash;
}

}  // namespace sluice
