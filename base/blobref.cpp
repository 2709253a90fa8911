#include "base/blobref.hpp"

#include <openssl/evp.h>

#include <array>

namespace sluice {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

const EVP_MD* find_algorithm(std::string_view name) {
    if (name == "sha1") return EVP_sha1();
    if (name == "sha256") return EVP_sha256();
    return nullptr;
}

}  // namespace

Result<std::string> hash_blob(std::string_view algorithm, std::string_view blob) {
    const EVP_MD* method = find_algorithm(algorithm);
    if (!method) return fail(EINVAL, "hash '{}' is not sha1 or sha256", algorithm);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(blob.data(), blob.size(), digest.data(), &size, method, nullptr) != 1)
        return fail(EINVAL, "hash '{}' is not available in this build of OpenSSL", algorithm);
    return std::string{digest.begin(), digest.begin() + size};
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
    const EVP_MD* method = find_algorithm(blobref.substr(0, dash));
    const std::string_view hex = dash < blobref.size() ? blobref.substr(dash + 1) : "";
    const Error wrong =
        fail(EINVAL, "blobref '{}' is not sha1- or sha256- and its digits", blobref);
    if (!method || hex.size() != 2 * static_cast<std::size_t>(EVP_MD_get_size(method)))
        return wrong;
    std::string hash;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const std::size_t high = digits.find(hex[i]), low = digits.find(hex[i + 1]);
        if (high == digits.npos || low == digits.npos) return wrong;
        hash += static_cast<char>(high * 16 + low);
    }
    return hash;
}

}  // namespace sluice
